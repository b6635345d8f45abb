/* Sorts events externally. */
#include "trace_spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"

enum {
    FIRST_ROOM = 4096,
    RUN_BUF = 1024, /* events of each run in memory during the merge */
    ARGS_BUF = 1 << 20,
};

static const char full_help[] = "temporary file (in TMPDIR)";

/* Orders. */

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_i64(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* Returns whether the file says by its order what is inside the span. All spans of a track are of
   one kind; see trace_load.c. */
static bool is_exact(const struct tch_ev *ev)
{
    return ev->kind == TCH_EV_SPAN && ev->closed != 0;
}

int tch_by_time(const struct tch_ev *a, const struct tch_ev *b)
{
    int order = compare_i64(a->ts, b->ts);

    if (order == 0 && !is_exact(a) && !is_exact(b))
        order = compare_i64(b->dur, a->dur);
    return order != 0 ? order : compare_u64(a->offset, b->offset);
}

int tch_by_track_and_time(const struct tch_ev *a, const struct tch_ev *b)
{
    int order = compare_u64(a->track, b->track);

    return order != 0 ? order : tch_by_time(a, b);
}

int tch_by_track_as_in_file(const struct tch_ev *a, const struct tch_ev *b)
{
    int order = compare_u64(a->track, b->track);

    if (order == 0)
        order = compare_i64(a->ts, b->ts);
    return order != 0 ? order : compare_u64(a->offset, b->offset);
}

int tch_by_async_id(const struct tch_ev *a, const struct tch_ev *b)
{
    int order = compare_u64(a->lane, b->lane);

    if (order == 0)
        order = compare_u64(a->category, b->category);
    if (order == 0)
        order = compare_u64(a->id, b->id);
    if (order == 0)
        order = compare_i64(a->ts, b->ts);
    return order != 0 ? order : compare_u64(a->offset, b->offset);
}

/* Temporary files. */

int tch_temporary_file(tacho_error *err)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int fd;

    if (!folder || !folder[0])
        folder = "/tmp";
    fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    if ((size_t)snprintf(path, sizeof path, "%s/tacho-XXXXXX", folder) >= sizeof path)
        errno = ENAMETOOLONG;
    else
        fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot make a temporary file in '%.150s'", folder);
    unlink(path);
    return fd;
}

static int read_at(int fd, void *data, size_t len, uint64_t at, tacho_error *err)
{
    while (len > 0) {
        ssize_t got = pread(fd, data, len, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return tch_fail_errno(err, got < 0 ? errno : EIO, "cannot read a temporary file");
        data = (char *)data + got;
        len -= (size_t)got;
        at += (uint64_t)got;
    }
    return 0;
}

/* Arguments. */

static int flush_args(struct tch_spool *s, tacho_error *err)
{
    int status = 0;

    if (s->args_held == 0)
        return 0;
    if (s->args_fd < 0)
        s->args_fd = tch_temporary_file(err);
    if (s->args_fd < 0)
        return s->args_fd;
    status = tch_write_all(s->args_fd, full_help, s->args_buf, s->args_held, err);
    s->args_held = 0;
    return status;
}

/* Stores the arguments and replaces the pointer by their offset. */
static int keep_args(struct tch_spool *s, struct tch_ev *row, tacho_error *err)
{
    uint64_t at = s->args_len;
    int status = 0;

    if (!s->args_buf) {
        s->args_buf = malloc(ARGS_BUF);
        if (!s->args_buf)
            return tch_fail_memory(err);
    }
    if (s->args_held + row->args_len > ARGS_BUF)
        status = flush_args(s, err);
    if (status < 0)
        return status;
    if (row->args_len > ARGS_BUF) {
        if (s->args_fd < 0)
            s->args_fd = tch_temporary_file(err);
        if (s->args_fd < 0)
            return s->args_fd;
        status = tch_write_all(s->args_fd, full_help, row->args, row->args_len, err);
    } else {
        memcpy(s->args_buf + s->args_held, row->args, row->args_len);
        s->args_held += row->args_len;
    }
    s->args_len += row->args_len;
    row->args = (const char *)(uintptr_t)at;
    return status;
}

static int map_args(struct tch_spool *s, tacho_error *err)
{
    void *map;
    int status;

    if (s->args_fd < 0)
        return 0; /* all arguments are in the buffer */
    status = flush_args(s, err);
    if (status < 0)
        return status;
    map = mmap(NULL, s->args_len, PROT_READ, MAP_PRIVATE, s->args_fd, 0);
    if (map == MAP_FAILED)
        return tch_fail_errno(err, errno, "cannot map a temporary file");
    s->args_map = map;
    s->args_mapped = s->args_len;
    return 0;
}

static void find_args(const struct tch_spool *s, struct tch_ev *ev)
{
    const char *base = s->args_map ? s->args_map : s->args_buf;

    ev->args = ev->args_len > 0 ? base + (uintptr_t)ev->args : NULL;
}

/* Rows. */

void tch_spool_init(struct tch_spool *s, tch_ev_order *order)
{
    *s = (struct tch_spool){.order = order, .fd = -1, .args_fd = -1};
}

void tch_spool_release(struct tch_spool *s)
{
    for (size_t i = 0; i < s->run_count; i++)
        free(s->runs[i].buf);
    free(s->runs);
    free(s->heap);
    free(s->rows);
    free(s->args_buf);
    if (s->args_map)
        munmap(s->args_map, s->args_mapped);
    if (s->fd >= 0)
        close(s->fd);
    if (s->args_fd >= 0)
        close(s->args_fd);
    tch_spool_init(s, s->order);
}

static int compare_rows(const void *a, const void *b, void *order)
{
    return (*(tch_ev_order *const *)order)(a, b);
}

static void sort_rows(struct tch_spool *s)
{
    bool sorted = true;

    for (size_t i = 1; sorted && i < s->count; i++)
        sorted = s->order(&s->rows[i - 1], &s->rows[i]) < 0;
    if (!sorted)
        qsort_r(s->rows, s->count, sizeof *s->rows, compare_rows, &s->order);
}

/* Writes the rows in memory as a sorted run. */
static int write_run(struct tch_spool *s, tacho_error *err)
{
    int status;

    sort_rows(s);
    if (s->fd < 0)
        s->fd = tch_temporary_file(err);
    if (s->fd < 0)
        return s->fd;
    status = tch_write_all(s->fd, full_help, s->rows, s->count * sizeof *s->rows, err);
    if (status < 0)
        return status;
    if (tch_array_extend(&s->runs, s->run_count) < 0)
        return tch_fail_memory(err);
    s->runs[s->run_count++] = (struct tch_spool_run){
        .at = s->fd_len, .end = s->fd_len + (uint64_t)s->count * sizeof *s->rows};
    s->fd_len = s->runs[s->run_count - 1].end;
    s->count = 0;
    return 0;
}

int tch_spool_add(struct tch_spool *s, const struct tch_ev *ev, tacho_error *err)
{
    size_t room = s->room > 0 ? s->room * 2 : FIRST_ROOM;
    struct tch_ev *row;
    int status = 0;

    if (s->count == s->room && s->room == TCH_SPOOL_ROWS)
        status = write_run(s, err);
    else if (s->count == s->room && tch_array_reserve(&s->rows, &s->room, room) < 0)
        status = tch_fail_memory(err);
    if (status < 0)
        return status;
    row = &s->rows[s->count];
    *row = *ev;
    if (row->args_len > 0)
        status = keep_args(s, row, err);
    if (status < 0)
        return status;
    s->count++;
    s->total++;
    return 0;
}

/* Merging. */

static int fill_run(struct tch_spool *s, struct tch_spool_run *run, tacho_error *err)
{
    uint64_t left = (run->end - run->at) / sizeof *run->buf;
    int status;

    run->count = left < RUN_BUF ? (size_t)left : RUN_BUF;
    run->next = 0;
    if (run->count == 0)
        return 0;
    status = read_at(s->fd, run->buf, run->count * sizeof *run->buf, run->at, err);
    run->at += (uint64_t)run->count * sizeof *run->buf;
    return status;
}

static const struct tch_ev *first_of(const struct tch_spool *s, size_t place)
{
    const struct tch_spool_run *run = &s->runs[s->heap[place]];

    return &run->buf[run->next];
}

static void sink_down(struct tch_spool *s, size_t place)
{
    for (;;) {
        size_t child = place * 2 + 1, held = s->heap[place];

        if (child >= s->heap_count)
            return;
        if (child + 1 < s->heap_count && s->order(first_of(s, child + 1), first_of(s, child)) < 0)
            child++;
        if (s->order(first_of(s, place), first_of(s, child)) <= 0)
            return;
        s->heap[place] = s->heap[child];
        s->heap[child] = held;
        place = child;
    }
}

static int start_merge(struct tch_spool *s, tacho_error *err)
{
    int status = s->count > 0 ? write_run(s, err) : 0;

    if (status < 0)
        return status;
    free(s->rows);
    s->rows = NULL;
    s->room = 0;
    s->heap = malloc(s->run_count * sizeof *s->heap);
    if (!s->heap)
        return tch_fail_memory(err);
    for (size_t i = 0; i < s->run_count; i++) {
        s->runs[i].buf = malloc(RUN_BUF * sizeof *s->runs[i].buf);
        if (!s->runs[i].buf)
            return tch_fail_memory(err);
        status = fill_run(s, &s->runs[i], err);
        if (status < 0)
            return status;
        s->heap[i] = i;
    }
    s->heap_count = s->run_count;
    for (size_t i = s->heap_count / 2; i-- > 0;)
        sink_down(s, i);
    return 0;
}

int tch_spool_sort(struct tch_spool *s, tacho_error *err)
{
    int status = map_args(s, err);

    if (status < 0)
        return status;
    if (s->run_count > 0)
        return start_merge(s, err);
    sort_rows(s);
    return 0;
}

int tch_spool_next(struct tch_spool *s, struct tch_ev *ev, tacho_error *err)
{
    struct tch_spool_run *run;
    int status = 0;

    if (s->run_count == 0) {
        if (s->next == s->count)
            return 0;
        *ev = s->rows[s->next++];
        find_args(s, ev);
        return 1;
    }
    if (s->heap_count == 0)
        return 0;
    run = &s->runs[s->heap[0]];
    *ev = run->buf[run->next++];
    if (run->next == run->count)
        status = fill_run(s, run, err);
    if (status < 0)
        return status;
    if (run->count == 0)
        s->heap[0] = s->heap[--s->heap_count];
    sink_down(s, 0);
    find_args(s, ev);
    return 1;
}
