/* A program that knows tacho by its installed headers alone. Also built as C++17. */
#include <stdio.h>
#include <string.h>

#include <tacho/tacho.h>

int main(void)
{
    printf("tacho %s, %s\n", tacho_version(), tacho_status_name(TACHO_EPARSE));
    return strcmp(tacho_version(), TACHO_VERSION) != 0;
}
