/* hold BYTES: touches so much memory, and tells the most that was resident. */
#include <stdint.h>

#include "base/number.h"

int main(int argc, char **argv)
{
    uint64_t bytes = 0;
    volatile char *memory;
    char line[256];
    FILE *status;

    if (argc != 2 || tch_parse_u64(argv[1], UINT64_MAX / 2, &bytes) < 0)
        return 64;
    memory = malloc(bytes + 1);
    if (!memory)
        return 1;
    for (uint64_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    status = fopen("/proc/self/status", "re");
    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "VmHWM:", 6) == 0)
            fputs(line, stdout);
    if (status)
        fclose(status);
    free((void *)memory);
    return 0;
}
