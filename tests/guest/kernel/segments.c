// Programs with odd segments: what their memory is like behind what comes from the file, and how they end that
// cannot be mapped.
#include "../syscalls/check.h"
#include <elf.h>
#include <stddef.h>

// What the programs do: exit with the byte at an address, after a store there if it is the other one.
extern const char look[], look_end[], change[], change_end[];
#ifdef __aarch64__
#define MACHINE EM_AARCH64
asm(".pushsection .rodata\n.globl look, look_end, change, change_end\n.balign 8\n"
    "look: ldr x1, 1f\n ldrb w0, [x1]\n mov x8, #93\n svc #0\n1: .quad 0\nlook_end:\n"
    "change: ldr x1, 1f\n ldrb w0, [x1]\n mov w2, #1\n strb w2, [x1]\n mov x8, #93\n svc #0\n1: .quad 0\nchange_end:\n.popsection");
#else
#define MACHINE EM_X86_64
asm(".pushsection .rodata\n.globl look, look_end, change, change_end\n.balign 8\n"
    "look: mov 1f(%rip), %rcx\n movzbl (%rcx), %edi\n mov $60, %eax\n syscall\n1: .quad 0\nlook_end:\n"
    "change: mov 1f(%rip), %rcx\n movzbl (%rcx), %edi\n movb $1, (%rcx)\n mov $60, %eax\n syscall\n1: .quad 0\nchange_end:\n.popsection");
#endif

#define CODE 0x10000000ul
#define DATA 0x20000000ul
#define PAGE 4096

struct file { Elf64_Ehdr h; Elf64_Phdr p[2]; };

static char name[] = "/tmp/emusegmentsXXXXXX";
static char image[4 * PAGE];

// run_ executes a program that looks at DATA + at, or changes what is there.
static void run_(const char *what, Elf64_Phdr second, unsigned long at, int writes) {
	struct file *f = (struct file *)image;
	const char *code = writes ? change : look;
	size_t size = writes ? change_end - change : look_end - look;
	unsigned long addr = DATA + at;
	memset(image, 'Z', sizeof image);
	f->h = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = ET_EXEC, .e_machine = MACHINE, .e_version = EV_CURRENT,
		.e_entry = CODE + 1024, .e_phoff = offsetof(struct file, p), .e_ehsize = sizeof f->h, .e_phentsize = sizeof f->p[0], .e_phnum = 2};
	f->p[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = CODE, .p_filesz = PAGE, .p_memsz = PAGE, .p_align = PAGE};
	f->p[1] = second;
	memcpy(image + 1024, code, size);
	memcpy(image + 1024 + size - sizeof addr, &addr, sizeof addr);
	int fd = open(name, O_WRONLY | O_TRUNC), status;
	write(fd, image, sizeof image);
	close(fd);
	pid_t child = fork();
	if (child == 0) {
		close(2); // what emu says about it
		execl(name, name, NULL);
		printf("%s: execve %s\n", what, strerrorname_np(errno));
		_exit(0);
	}
	waitpid(child, &status, 0);
	printf("%s%s: %s %d\n", what, writes ? ", changed" : "", WIFSIGNALED(status) ? "signal" : "status", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

static Elf64_Phdr segment(int flags, unsigned long filesz, unsigned long memsz) {
	return (Elf64_Phdr){.p_type = PT_LOAD, .p_flags = flags, .p_offset = PAGE, .p_vaddr = DATA, .p_filesz = filesz, .p_memsz = memsz, .p_align = PAGE};
}

int main(void) {
	setvbuf(stdout, 0, _IONBF, 0);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	int fd = mkstemp(name);
	fchmod(fd, 0700);
	close(fd);
	static const struct { const char *name; int flags; } kinds[] = {{"RW", PF_R | PF_W}, {"R", PF_R}, {"RX", PF_R | PF_X}, {"none", 0}, {"W", PF_W}};
	for (int i = 0; i < 5; i++)
		for (int writes = 0; writes < 2; writes++) {
			char what[32];
			snprintf(what, sizeof what, "%s file", kinds[i].name);
			run_(what, segment(kinds[i].flags, 100, 3 * PAGE), 50, writes);
			snprintf(what, sizeof what, "%s rest of the page", kinds[i].name);
			run_(what, segment(kinds[i].flags, 100, 3 * PAGE), 200, writes);
			snprintf(what, sizeof what, "%s no more memory", kinds[i].name);
			run_(what, segment(kinds[i].flags, 100, 100), 200, writes);
			snprintf(what, sizeof what, "%s pages behind", kinds[i].name);
			run_(what, segment(kinds[i].flags, 100, 3 * PAGE), 2 * PAGE, writes);
			snprintf(what, sizeof what, "%s nothing of the file", kinds[i].name);
			run_(what, segment(kinds[i].flags, 0, 3 * PAGE), PAGE, writes);
		}
	run_("behind the end", segment(PF_R | PF_W, 100, 3 * PAGE), 3 * PAGE, 0);
	run_("2^46 bytes", segment(PF_R | PF_W, 100, 1ul << 46), 0, 0);
	run_("2^46 bytes, not writable", segment(PF_R, 100, 1ul << 46), 0, 0);
	run_("2^62 bytes", segment(PF_R | PF_W, 100, 1ul << 62), 0, 0);
	run_("2^64 bytes", segment(PF_R | PF_W, 100, -1ul), 0, 0);
	run_("more of the file than memory", segment(PF_R | PF_W, 100, 50), 0, 0);
	Elf64_Phdr odd = segment(PF_R | PF_W, 100, 100);
	odd.p_offset += 100;
	run_("an offset that does not fit", odd, 0, 0);
	odd = segment(PF_R | PF_W, 100, 100);
	odd.p_vaddr = 1ul << 62;
	run_("an address that is none", odd, 0, 0);
	odd = segment(PF_R | PF_W, 100, 100);
	odd.p_offset = 16 * PAGE;
	run_("outside of the file", odd, 0, 0);
	odd = segment(PF_R | PF_W, 100, 3 * PAGE);
	odd.p_offset = 16 * PAGE;
	run_("outside of the file, with more", odd, 2 * PAGE, 0);
	unlink(name);
	return 0;
}
