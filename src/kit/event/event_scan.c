/* Scanning: each thread takes a piece and parses its lines; one with bad lines waits for its turn
   to tell of them. */
#include "event_scan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "lib/event/event_parse.h"
#include "line_blocks.h"

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

/* Pieces that may be ahead of the one that is to be told of next. */
enum { AHEAD = 64 };

struct shared {
    const struct tch_scan *scan;
    struct tch_blocks blocks;

    pthread_mutex_t lock;
    pthread_cond_t turned;
    uint64_t told; /* pieces; what follows is of them */
    struct tch_scan_counts counts;
    struct {
        bool is;
        struct tch_scan_counts counts;
    } ended[AHEAD]; /* pieces behind them, by number */
};

static int remember_bad(struct worker *w, const struct tch_line *line)
{
    if (tch_array_reserve(&w->bad, &w->bad_size, w->bad_count + 1) < 0) {
        tch_fail_memory(&w->err);
        w->err.line = line->number;
        return TACHO_ENOMEM;
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
    if (!line->too_long && (line->len == 0 || tch_utf8_is_blank(line->text, line->len))) {
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

    tch_lines_init_mem(&lines, w->block.data + w->block.first, w->block.len, TCH_EVENT_MAX);
    while (w->status == 0 && tch_lines_next(&lines, &line, NULL) > 0)
        w->status = do_line(w, &line);
    if (w->status == 0 && w->block.too_long > 0) {
        line = (struct tch_line){
            .len = w->block.too_long, .number = w->counts.lines + 1, .too_long = true};
        w->status = do_line(w, &line);
    }
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
    to->bytes += from->bytes;
    to->lines += from->lines;
    to->blank += from->blank;
    to->events += from->events;
    to->bad += from->bad;
    to->torn += from->torn;
    to->salvaged += from->salvaged;
}

/* Only who has something to tell waits for those before: a thread that is faster than the others
   would stand still half of the time. */
static void end_block(struct worker *w)
{
    struct shared *shared = w->shared;
    uint64_t number = w->block.number;

    pthread_mutex_lock(&shared->lock);
    while (number - shared->told >= (w->bad_count > 0 ? 1 : AHEAD))
        pthread_cond_wait(&shared->turned, &shared->lock);
    for (size_t i = 0; shared->scan->bad && i < w->bad_count; i++)
        tell(w, &w->bad[i], shared->counts.lines);
    shared->ended[number % AHEAD].is = true;
    shared->ended[number % AHEAD].counts = w->counts;
    for (; shared->ended[shared->told % AHEAD].is; shared->told++) {
        shared->ended[shared->told % AHEAD].is = false;
        add_counts(&shared->counts, &shared->ended[shared->told % AHEAD].counts);
    }
    pthread_cond_broadcast(&shared->turned);
    pthread_mutex_unlock(&shared->lock);
}

static void *work(void *arg)
{
    struct worker *w = arg;

    while (tch_blocks_take(&w->shared->blocks, &w->block) > 0) {
        w->counts = (struct tch_scan_counts){.bytes = w->block.bytes};
        w->bad_count = 0;
        if (w->status == 0) /* after a failure the rest is only let go */
            do_block(w);
        end_block(w);
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
    struct shared shared = {
        .scan = scan, .lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};
    const struct worker *failed = NULL;
    int status;

    if (!workers)
        return tch_fail_memory(err);
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
    *counts = shared.counts;
    status = failed ? failed->status : shared.blocks.status;
    if (status < 0 && err)
        *err = failed ? failed->err : shared.blocks.err;
    tch_blocks_release(&shared.blocks);
    pthread_cond_destroy(&shared.turned);
    pthread_mutex_destroy(&shared.lock);
out:
    free(workers);
    return status;
}
