/* Drops memory that the spawner inherited from tacho, before the first run. */
#include "spawner_parts.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAPPINGS = 128 };

/* Parses the head of a mapping, such as "7f1c-7f2d r-xp ...". */
static bool parse_mapping(const char *line, struct tch_spawner_mapping *ret)
{
    char *end;
    uintmax_t start = strtoumax(line, &end, 16);
    uintmax_t stop = *end == '-' ? strtoumax(end + 1, &end, 16) : 0;

    if (stop <= start || strncmp(end, " r-", 3) != 0 || end[4] != 'p' || !strchr(end, '/'))
        return false;
    *ret = (struct tch_spawner_mapping){(uintptr_t)start, (size_t)(stop - start)};
    return true;
}

/* Returns whether a line such as "Swap:          4 kB" has this name and is 0. */
static bool is_none(const char *line, const char *name)
{
    size_t len = strlen(name);

    return strncmp(line, name, len) == 0 && strtoumax(line + len, NULL, 10) == 0;
}

/* Mappings with private pages, such as those with relocated addresses, are left out. They would
   lose these pages, even if the pages are swapped out. */
size_t tch_spawner_mappings(FILE *smaps, struct tch_spawner_mapping *mappings, size_t room)
{
    char line[PATH_MAX + 128];
    bool file = false, whole = false; /* mappings[n] is suitable, as far as is known */
    size_t n = 0;

    while (n < room && fgets(line, sizeof line, smaps)) {
        if (strchr("0123456789abcdef", line[0])) {
            file = parse_mapping(line, &mappings[n]);
            whole = false;
        } else if (is_none(line, "Anonymous:")) {
            whole = file;
        } else if (whole && is_none(line, "Swap:")) { /* the last line that matters */
            n++;
            whole = false;
        }
    }
    return n;
}

/* Drops the pages. The kernel reads them from the file again when they are needed. */
void tch_spawner_shrink(void)
{
    static const char peak[] = "5";
    struct tch_spawner_mapping mappings[MAPPINGS];
    FILE *smaps = fopen("/proc/self/smaps", "re");
    size_t n = smaps ? tch_spawner_mappings(smaps, mappings, MAPPINGS) : 0;
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    if (smaps)
        fclose(smaps);
    for (size_t i = 0; i < n; i++)
        syscall(SYS_madvise, mappings[i].start, mappings[i].len, MADV_DONTNEED);
    if (fd >= 0) {
        syscall(SYS_write, fd, peak, 1);
        syscall(SYS_close, fd);
    }
}
