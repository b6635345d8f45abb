#include "steps.h"

unsigned fold(unsigned x, unsigned y)
{
    while (y > 1000) {
        x += y;
        y >>= 3;
    }
    return x ^ y;
}
