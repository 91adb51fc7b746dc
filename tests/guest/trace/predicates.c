// Stops with known values in the registers of SVE for a debugger to change, and exits with
// what becomes of them: how many bits of P3 and FFR are set, and the first byte of Z3.
void look(void) {}

int main(void)
{
	unsigned long p3, ffr, z3;
	asm volatile(".arch_extension sve\n"
		     "ptrue p3.h\n setffr\n mov x0, #7\n dup v3.2d, x0\n"
		     "bl look\n"
		     "cntp %0, p3, p3.b\n rdffr p0.b\n cntp %1, p0, p0.b\n umov %w2, v3.b[0]"
		     : "=&r"(p3), "=&r"(ffr), "=&r"(z3) :: "x0", "x30", "v3");
	return p3 + ffr + z3;
}
