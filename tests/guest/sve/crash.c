// Dies of an undefined instruction with known values in the registers of SVE.
#include "state.h"

int main(void)
{
	struct state s;
	fill(&s);
	around_undefined(&s);
}
