/* A program of somebody else's that uses libtachokit. */
#include <stdio.h>

#include <tacho/flame.h>

int main(void)
{
    tacho_flame_request request = TACHO_FLAME_REQUEST_INIT;
    tacho_flame *flame = NULL;
    tacho_error err;

    if (tacho_flame_capture(&request, &flame, &err) != TACHO_EINVAL || flame)
        return 1; /* it was told nothing to profile */
    puts(tacho_flame_profilers()[0]);
    return 0;
}
