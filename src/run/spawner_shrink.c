/* Letting go of memory that the spawner has from us, before the first run. */
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

/* Part of a file that is mapped and only read. */
struct piece {
    uintptr_t start;
    size_t len;
};

enum { PIECES = 128 };

/* "7f1c-7f2d r-xp ..." */
static bool parse_piece(const char *line, struct piece *ret)
{
    char *end;
    uintmax_t start = strtoumax(line, &end, 16);
    uintmax_t stop = *end == '-' ? strtoumax(end + 1, &end, 16) : 0;

    if (stop <= start || strncmp(end, " r-", 3) != 0 || end[4] != 'p' || !strchr(end, '/'))
        return false;
    *ret = (struct piece){(uintptr_t)start, (size_t)(stop - start)};
    return true;
}

/* Those with pages of our own in them, as where addresses were put in at the start, would lose
   these: not found. */
static size_t find_pieces(struct piece *pieces)
{
    static const char own[] = "Anonymous:";
    FILE *maps = fopen("/proc/self/smaps", "re");
    char line[PATH_MAX + 128];
    bool whole = false; /* pieces[n] is one, as far as is known */
    size_t n = 0;

    while (maps && n < PIECES && fgets(line, sizeof line, maps)) {
        if (strchr("0123456789abcdef", line[0]))
            whole = parse_piece(line, &pieces[n]);
        else if (whole && strncmp(line, own, strlen(own)) == 0)
            n += strtoumax(line + strlen(own), NULL, 10) == 0;
    }
    if (maps)
        fclose(maps);
    return n;
}

/* They come back from the file when needed. */
void tch_spawner_shrink(void)
{
    static const char peak[] = "5";
    struct piece pieces[PIECES];
    size_t n = find_pieces(pieces);
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    for (size_t i = 0; i < n; i++)
        syscall(SYS_madvise, pieces[i].start, pieces[i].len, MADV_DONTNEED);
    if (fd >= 0) {
        syscall(SYS_write, fd, peak, 1);
        syscall(SYS_close, fd);
    }
}
