/* Scanning: each thread takes a piece, parses its lines, and tells of the bad ones at its turn. */
#include "scan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/lines.h"
#include "blank.h"
#include "blocks.h"
#include "parse.h"

/* Where a line stands that will have to be told of. Its message is made then: in a file where
   every line is bad, holding the messages would take more memory than the lines. */
struct bad_line {
    const char *text;
    size_t len;
    uint64_t number; /* in its piece */
};

struct worker {
    struct shared *shared;
    void *mine;
    struct tch_block block;
    struct bad_line *bad;
    size_t bad_count;
    size_t bad_size;
    struct tch_scan_counts counts; /* of the piece at hand */
    int status;
    tacho_error err;
};

struct shared {
    const struct tch_scan *scan;
    struct tch_blocks blocks;
    struct tch_scan_counts counts; /* changed by whose turn it is */
};

static int remember_bad(struct worker *w, const struct tch_line *line)
{
    if (w->bad_count == w->bad_size) {
        size_t size = w->bad_size ? w->bad_size * 2 : 64;
        struct bad_line *bad = realloc(w->bad, size * sizeof *bad);

        if (!bad)
            return tch_fail(&w->err, TACHO_ENOMEM, line->number, "out of memory");
        w->bad = bad;
        w->bad_size = size;
    }
    w->bad[w->bad_count++] = (struct bad_line){line->text, line->len, line->number};
    return 0;
}

static int do_line(struct worker *w, const struct tch_line *line)
{
    const struct tch_scan *scan = w->shared->scan;
    tacho_event event;
    bool torn = false;
    int status;

    w->counts.lines++;
    if (!line->too_long && (line->len == 0 || tch_is_blank(line->text, line->len))) {
        w->counts.blank++;
        return 0;
    }
    status = tch_event_line(line, &event, &torn, NULL);
    if (status == TACHO_ENOMEM)
        return tch_fail(&w->err, status, line->number, "out of memory");
    if (status < 0) {
        w->counts.bad++;
        w->counts.torn += torn;
        return remember_bad(w, line);
    }
    w->counts.events++;
    if (event.torn > 0) {
        w->counts.torn++;
        w->counts.salvaged++;
        status = remember_bad(w, line);
    }
    if (status == 0 && scan->event)
        status = scan->event(w->mine, &event, &w->err);
    return status;
}

static void do_block(struct worker *w)
{
    struct tch_lines lines;
    struct tch_line line;

    if (w->block.too_long > 0) {
        line = (struct tch_line){.len = w->block.too_long, .number = 1, .too_long = true};
        w->status = do_line(w, &line);
        return;
    }
    tch_lines_init_mem(&lines, w->block.data, w->block.len, TCH_EVENT_MAX);
    while (w->status == 0 && tch_lines_next(&lines, &line, NULL) > 0)
        w->status = do_line(w, &line);
}

static void tell(struct worker *w, const struct bad_line *bad, uint64_t before)
{
    struct tch_line line = {
        .text = bad->text, .len = bad->len, .number = before + bad->number, .too_long = !bad->text};
    tacho_event event;
    tacho_error why;
    bool torn;

    if (tch_event_line(&line, &event, &torn, &why) == 0)
        tch_fail(&why, TACHO_EPARSE, line.number,
                 "invalid JSON: torn line, %" PRIu64
                 " bytes of an unfinished event; the whole event behind them was salvaged",
                 event.torn);
    w->shared->scan->bad(w->shared->scan->ctx, &why);
}

static void add_counts(struct tch_scan_counts *to, const struct tch_scan_counts *from)
{
    to->lines += from->lines;
    to->blank += from->blank;
    to->events += from->events;
    to->bad += from->bad;
    to->torn += from->torn;
    to->salvaged += from->salvaged;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct shared *shared = w->shared;

    while (tch_blocks_take(&shared->blocks, &w->block) > 0) {
        w->counts = (struct tch_scan_counts){0};
        w->bad_count = 0;
        if (w->status == 0) /* after a failure the rest is only let go */
            do_block(w);
        tch_blocks_begin_turn(&shared->blocks, &w->block);
        for (size_t i = 0; shared->scan->bad && i < w->bad_count; i++)
            tell(w, &w->bad[i], shared->counts.lines);
        add_counts(&shared->counts, &w->counts);
        tch_blocks_end_turn(&shared->blocks);
    }
    return NULL;
}

/* One on this thread, the others on threads of their own: as many as can be started. */
static void run_workers(struct worker *workers, unsigned count)
{
    pthread_t threads[TCH_SCAN_THREADS];
    unsigned started = 0;

    while (started + 1 < count &&
           pthread_create(&threads[started], NULL, work, &workers[started + 1]) == 0)
        started++;
    work(&workers[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

int tch_scan_fd(int fd, const char *name, const struct tch_scan *scan,
                struct tch_scan_counts *counts, tacho_error *err)
{
    struct worker *workers = calloc(scan->threads, sizeof *workers);
    struct shared shared = {.scan = scan};
    const struct worker *failed = NULL;
    int status;

    if (!workers)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading '%s'", name);
    status = tch_blocks_init(&shared.blocks, fd, name, TCH_EVENT_MAX, err);
    if (status < 0)
        goto out;
    for (unsigned i = 0; i < scan->threads; i++)
        workers[i] =
            (struct worker){.shared = &shared, .mine = scan->workers ? scan->workers[i] : NULL};
    run_workers(workers, scan->threads);
    for (unsigned i = 0; i < scan->threads; i++) {
        if (workers[i].status < 0)
            failed = &workers[i];
        tch_block_release(&workers[i].block);
        free(workers[i].bad);
    }
    shared.counts.bytes = shared.blocks.bytes;
    *counts = shared.counts;
    status = failed ? failed->status : shared.blocks.status;
    if (status < 0 && err)
        *err = failed ? failed->err : shared.blocks.err;
    tch_blocks_release(&shared.blocks);
out:
    free(workers);
    return status;
}
