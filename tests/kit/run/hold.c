/* hold BYTES [MS]: touches that much memory, keeps it for MS milliseconds, and prints its own
   peak. */
#include <fcntl.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"

/* Prints the peak by system calls only, so that printing needs no further memory. */
static void tell(int out)
{
    static char text[8192];
    const char *line;
    int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    ssize_t len = read(fd, text, sizeof text - 1);

    text[len > 0 ? len : 0] = '\0';
    line = strstr(text, "VmHWM:");
    if (line && write(out, line, strcspn(line, "\n") + 1) < 0)
        _exit(1);
    close(fd);
}

int main(int argc, char **argv)
{
    uint64_t bytes = 0;
    uint64_t ms = 0;
    volatile char *memory;
    int null;

    if (argc < 2 || argc > 3 || tch_parse_u64(argv[1], UINT64_MAX / 2, &bytes) < 0 ||
        (argc > 2 && tch_parse_u64(argv[2], 60000, &ms) < 0))
        return 64;
    memory = malloc(bytes + 1);
    if (!memory)
        return 1;
    for (uint64_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
    null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    tell(null); /* touches the memory that printing itself needs */
    nanosleep(&(struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}, NULL);
    tell(STDOUT_FILENO);
    _exit(0);
}
