// Executes HVC, which is undefined for programs; with an argument, under a handler.
#include <signal.h>
#include <unistd.h>

static void handler(int sig)
{
	write(1, "handled\n", 8);
	_exit(sig != SIGILL);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		signal(SIGILL, handler);
	asm volatile(".inst 0xd4000002");
	return 1;
}
