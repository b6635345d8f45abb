/*
 * Reads /tmp/perf-PID.map, the names of code that a process compiled at run time.
 *
 * Any user may create such a file, so the rules of perf apply: the file must belong to root or to
 * this user, and must not be a link. Its size and the time to read it are limited.
 */
#include "perf_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "kit/symbol/object/code_object.h"
#include "symbol_text.h"

enum {
    MAP_MAX = 64 << 20,   /* limit of one map, in bytes */
    MAPS_MAX = 256 << 20, /* limit of all maps of a capture together, in bytes */
    READ_MAX = 1 << 20,   /* bytes per read() */
};

static const uint64_t maps_ns = UINT64_C(5000000000); /* time limit of all maps of a capture */

static bool is_spent(const struct tch_perf_maps *maps)
{
    return maps->bytes >= MAPS_MAX || maps->ns >= maps_ns;
}

static void count_problem(struct tch_perf_maps *maps, enum tch_perf_map_problem problem,
                          const char *path)
{
    if (maps->problems[problem]++ == 0)
        snprintf(maps->first[problem], sizeof maps->first[problem], "%s", path);
}

/* Reads the end of the file, whose lines take precedence, and adds its names. Returns false if
   memory runs out. */
static bool read_map(struct tch_perf_maps *maps, struct tch_symbol_table *table, int fd,
                     const struct stat *st, const char *path)
{
    size_t len = st->st_size > MAP_MAX ? MAP_MAX : (size_t)st->st_size;
    off_t from = st->st_size - (off_t)len;
    uint64_t start = tch_now_ns();
    char *text = malloc(len + 1);
    size_t got = 0;
    size_t skip = 0;
    bool ok;

    if (!text)
        return false;
    while (got < len && maps->ns + (tch_now_ns() - start) < maps_ns) {
        ssize_t n =
            pread(fd, text + got, len - got < READ_MAX ? len - got : READ_MAX, from + (off_t)got);

        if (n <= 0 && !(n < 0 && errno == EINTR))
            break;
        got += n > 0 ? (size_t)n : 0;
    }
    if (from > 0) /* skip the rest of a truncated line */
        while (skip < got && text[skip++] != '\n')
            ;
    ok = tch_symbol_table_perf_map(table, text + skip, got - skip);
    free(text);
    maps->bytes += got;
    maps->ns += tch_now_ns() - start;
    if (from > 0 || table->full || got < len)
        count_problem(maps, TCH_PERF_MAP_CUT, path);
    return ok;
}

static bool open_map(struct tch_perf_maps *maps, struct tch_symbol_table *table, const char *path)
{
    /* A device or a pipe of that name is never opened. */
    int place = open(path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
    struct stat st;
    bool ok = true;
    bool regular = place >= 0 && fstat(place, &st) == 0 && S_ISREG(st.st_mode);
    int fd = regular ? tch_open_place(place) : -1;

    if (place >= 0)
        close(place);
    if (fd < 0)
        return true;
    if (st.st_uid != 0 && st.st_uid != geteuid())
        count_problem(maps, TCH_PERF_MAP_FOREIGN, path);
    else if (is_spent(maps))
        count_problem(maps, TCH_PERF_MAP_SKIPPED, path);
    else
        ok = read_map(maps, table, fd, &st, path);
    close(fd);
    return ok;
}

bool tch_perf_maps_read(struct tch_perf_maps *maps, struct tch_symbol_table *table, uint32_t pid,
                        uint32_t inner_pid)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/%u/root/tmp/perf-%u.map", (unsigned)pid,
             (unsigned)tch_inner_pid(pid));
    if (access(path, F_OK) < 0) /* the process has exited, or has no /tmp */
        snprintf(path, sizeof path, "/tmp/perf-%u.map", (unsigned)(inner_pid ? inner_pid : pid));
    return open_map(maps, table, path);
}

void tch_perf_maps_explain(const struct tch_perf_maps *maps, struct tch_buf *lines)
{
    static const char *const why[TCH_PERF_MAP_PROBLEMS] = {
        [TCH_PERF_MAP_FOREIGN] = ("belongs to another user, so its names are not used; change its "
                                  "owner to you or root"),
        [TCH_PERF_MAP_CUT] = "is too large; not all of its names are used",
        [TCH_PERF_MAP_SKIPPED] = "was not read: the maps of other processes were too large",
    };

    for (int i = 0; i < TCH_PERF_MAP_PROBLEMS; i++) {
        if (maps->problems[i] == 0)
            continue;
        tch_buf_addf(lines, "%s %s", maps->first[i], why[i]);
        if (maps->problems[i] > 1)
            tch_buf_addf(lines, " (and %u others)", maps->problems[i] - 1);
        tch_buf_addc(lines, '\0');
    }
}
