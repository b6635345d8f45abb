#include "steps.h"

unsigned mix(unsigned x, unsigned y)
{
    for (unsigned i = 0; i < 3; i++)
        x = (x ^ (y + i)) * 2654435761u;
    return x;
}
