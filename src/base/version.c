/* Returns the version of the library in use. */
#include <tacho/version.h>

const char *tacho_version(void)
{
    return TACHO_VERSION;
}

int tacho_version_number(void)
{
    return TACHO_VERSION_NUMBER;
}
