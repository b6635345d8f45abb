/* A program that uses only the installed headers of tacho. Also built as C++17. */
#include <stdio.h>
#include <string.h>

#include <tacho/tacho.h>

#ifdef __cplusplus
#include <tacho/tacho.hpp>
#endif

int main(void)
{
#ifdef __cplusplus
    tacho::span span(TACHO_SITE("main", "outside"));
#endif

    printf("tacho %s, %s\n", tacho_version(), tacho_status_name(TACHO_EPARSE));
    return strcmp(tacho_version(), TACHO_VERSION) != 0 ||
           tacho_version_number() != TACHO_VERSION_NUMBER;
}
