/* Reads the processes that ran before the capture began, from /proc. */
#include "collect_proc.h"

#include <dirent.h>
#include <limits.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/lines.h"
#include "base/number.h"

enum { PROC_MAX = 64 << 20 };

/* Reads a number, hexadecimal or decimal, and skips the character after it. */
static bool read_number(const char **p, bool hex, uint64_t *ret)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t value = 0;
    const char *start = *p;

    for (;; (*p)++) {
        const char *digit = **p ? memchr(digits, **p, hex ? 16 : 10) : NULL;

        if (!digit)
            break;
        value = value * (hex ? 16 : 10) + (uint64_t)(digit - digits);
    }
    if (*p == start)
        return false;
    *p += **p != '\0';
    *ret = value;
    return true;
}

/* Adds the mapping of one line, "7f00-7f10 r-xp 00001000 08:01 1234    /usr/lib/x.so". If `fill`,
   keeps the mappings that are known. */
static int add_mapping(struct tch_collect *c, struct tch_flame_process *process, const char *text,
                       bool fill, tacho_error *err)
{
    enum { MODE = 5 }; /* "r-xp " */
    struct tch_map map;
    uint64_t device;
    uint64_t inode;

    if (!read_number(&text, true, &map.start) || !read_number(&text, true, &map.end) ||
        strlen(text) < MODE || text[2] != 'x')
        return 0;
    text += MODE;
    if (!read_number(&text, true, &map.offset) || !read_number(&text, true, &device) ||
        !read_number(&text, true, &device) || !read_number(&text, false, &inode))
        return 0;
    if (fill && !tch_maps_is_free(process, map.start, map.end))
        return 0;
    text += strspn(text, " ");
    map.object = tch_code_objects_add(&c->objects, *text ? text : "//anon", inode, process->pid);
    return map.object == TCH_INTERN_NONE ? tch_fail_memory(err)
                                         : tch_collect_map(c, process, map, err);
}

static int add_lines(struct tch_collect *c, struct tch_flame_process *process, char *text,
                     bool fill, tacho_error *err)
{
    int status = 0;

    for (char *line = text, *next; status == 0 && *line; line = next) {
        char *end = strchr(line, '\n');

        next = end ? end + 1 : line + strlen(line);
        if (end)
            *end = '\0';
        status = add_mapping(c, process, line, fill, err);
    }
    return status;
}

int tch_collect_maps(struct tch_collect *c, uint32_t pid, char *text, tacho_error *err)
{
    struct tch_flame_thread *thread = tch_maps_thread(&c->maps, pid, pid);

    return thread ? add_lines(c, thread->process, text, false, err) : tch_fail_memory(err);
}

int tch_collect_proc_maps(struct tch_collect *c, struct tch_flame_process *process,
                          tacho_error *err)
{
    char path[64];
    struct tch_buf b;
    int status = 0;

    snprintf(path, sizeof path, "/proc/%u/maps", (unsigned)process->pid);
    tch_buf_init(&b, PROC_MAX);
    /* The maps of a process that has exited, or of another user's process, cannot be read. The
       samples are older than these maps, and at the time of a sample another file may have been at
       an address. So what is known from that time is kept. */
    if (tch_file_read(path, PROC_MAX, &b, NULL) == 0)
        status = add_lines(c, process, b.data, true, err);
    tch_buf_release(&b);
    return status;
}

static int read_thread(struct tch_collect *c, uint32_t pid, uint32_t tid, tacho_error *err)
{
    char path[64];
    struct tch_buf b;
    bool ok;

    snprintf(path, sizeof path, "/proc/%u/task/%u/comm", (unsigned)pid, (unsigned)tid);
    tch_buf_init(&b, 256);
    if (tch_file_read(path, 64, &b, NULL) == 0 && b.len > 0)
        b.data[b.len - (b.data[b.len - 1] == '\n')] = '\0';
    ok = tch_maps_comm(&c->maps, pid, tid, b.data, false);
    tch_buf_release(&b);
    return ok ? 0 : tch_fail_memory(err);
}

int tch_collect_process(struct tch_collect *c, uint32_t pid, tacho_error *err)
{
    struct tch_flame_thread *thread;
    struct dirent *entry;
    char path[64];
    int status = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%u/task", (unsigned)pid);
    dir = opendir(path);
    if (!dir)
        return 0; /* the process has exited */
    while (status == 0 && (entry = readdir(dir))) {
        uint64_t tid;

        if (tch_parse_u64(entry->d_name, INT32_MAX, &tid) == 0)
            status = read_thread(c, pid, (uint32_t)tid, err);
    }
    closedir(dir);
    thread = status == 0 ? tch_maps_thread(&c->maps, pid, pid) : NULL;
    return thread ? tch_collect_proc_maps(c, thread->process, err) : status;
}

int tch_collect_processes(struct tch_collect *c, tacho_error *err)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    int status = 0;

    if (!dir)
        return tch_fail(err, TACHO_EIO, 0, "cannot read /proc");
    while (status == 0 && (entry = readdir(dir))) {
        uint64_t pid;

        if (tch_parse_u64(entry->d_name, INT32_MAX, &pid) == 0)
            status = tch_collect_process(c, (uint32_t)pid, err);
    }
    closedir(dir);
    return status;
}
