/* The version, as the library in use knows it. */
#include <tacho/version.h>

const char *tacho_version(void)
{
    return TACHO_VERSION;
}

int tacho_version_number(void)
{
    return TACHO_VERSION_NUMBER;
}
