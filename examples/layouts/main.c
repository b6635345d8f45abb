/* A tight loop with calls to other objects: its time depends on where the linker puts them. */
#include "steps.h"

#include <stdio.h>

enum { ROUNDS = 1500000 };

int main(void)
{
    unsigned x = 1;

    for (unsigned i = 0; i < ROUNDS; i++)
        x = i % 3 == 0 ? mix(x, i) : fold(x, i);
    return printf("%u\n", x) < 0;
}
