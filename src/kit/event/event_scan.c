/* Scans events on several threads. Each thread takes a piece and parses its lines. A piece with bad
   lines waits for those before it, so that bad lines are reported in their order. */
#include "event_scan.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/lines.h"
#include "base/utf8.h"
#include "event_product.h"
#include "line_blocks.h"

/* A line to report. Its message is made when it is reported: in a file where every line is bad, the
   messages would take more memory than the lines. */
struct bad_line {
    const char *text;
    size_t len;
    uint64_t number; /* line number in its piece */
};

struct worker {
    struct shared *shared;
    void *mine;
    struct tch_block block;
    struct bad_line *bad;
    size_t bad_count;
    size_t bad_size;
    struct tch_buf product;        /* the product event of the current line, translated */
    struct tch_scan_counts counts; /* counts of the current piece */
    int status;
    tacho_error err;
};

/* Pieces that may be finished before the next one in order. */
enum { AHEAD = 64 };

struct shared {
    const struct tch_scan *scan;
    struct tch_blocks blocks;

    pthread_mutex_t lock;
    pthread_cond_t advanced;
    uint64_t reported;             /* pieces, in order */
    struct tch_scan_counts counts; /* counts of these pieces */
    struct {
        bool finished;
        struct tch_scan_counts counts;
    } later[AHEAD]; /* pieces after them, by number */
};

static int keep_bad_line(struct worker *w, const struct tch_line *line)
{
    if (tch_array_reserve(&w->bad, &w->bad_size, w->bad_count + 1) < 0)
        return tch_fail_memory(&w->err);
    w->bad[w->bad_count++] = (struct bad_line){line->text, line->len, line->number};
    return 0;
}

static int scan_line(struct worker *w, const struct tch_line *line)
{
    const struct tch_scan *scan = w->shared->scan;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    bool torn = false;
    int status;

    w->counts.lines++;
    if (!line->too_long && (line->len == 0 || tch_utf8_is_blank(line->text, line->len))) {
        w->counts.blank++;
        return 0;
    }
    status = tch_product_line(line, &w->product, &event, &torn, NULL);
    if (status == TACHO_ENOMEM)
        return tch_fail_memory(&w->err);
    if (status < 0) {
        w->counts.bad++;
        w->counts.torn += torn;
        return keep_bad_line(w, line);
    }
    w->counts.events++;
    if (event.torn > 0) {
        w->counts.torn++;
        w->counts.salvaged++;
        status = keep_bad_line(w, line);
    }
    if (status == 0 && scan->event)
        status = scan->event(w->mine, &event, &w->err);
    return status;
}

static void scan_block(struct worker *w)
{
    struct tch_lines lines;
    struct tch_line line;

    tch_lines_init_mem(&lines, w->block.data + w->block.first, w->block.len, TCH_EVENT_MAX);
    while (w->status == 0 && tch_lines_next(&lines, &line, NULL) > 0)
        w->status = scan_line(w, &line);
    if (w->status == 0 && w->block.too_long > 0) {
        line = (struct tch_line){
            .len = w->block.too_long, .number = w->counts.lines + 1, .too_long = true};
        w->status = scan_line(w, &line);
    }
}

static void report_bad_line(struct worker *w, const struct bad_line *bad, uint64_t before)
{
    struct tch_line line = {
        .text = bad->text, .len = bad->len, .number = before + bad->number, .too_long = !bad->text};
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error why;
    bool torn;

    if (tch_product_line(&line, &w->product, &event, &torn, &why) == 0)
        tch_fail(&why, TACHO_EPARSE, line.number,
                 "invalid JSON: torn line, %" PRIu64
                 " bytes of an incomplete event; the complete event after them was salvaged",
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

/* Reports the bad lines of a piece and adds its counts. Only a piece with bad lines waits for those
   before it: if all did, a thread that is faster than the others would be idle half of the time. */
static void finish_block(struct worker *w)
{
    struct shared *shared = w->shared;
    uint64_t number = w->block.number;

    pthread_mutex_lock(&shared->lock);
    while (number - shared->reported >= (w->bad_count > 0 ? 1 : AHEAD))
        pthread_cond_wait(&shared->advanced, &shared->lock);
    for (size_t i = 0; shared->scan->bad && i < w->bad_count; i++)
        report_bad_line(w, &w->bad[i], shared->counts.lines);
    shared->later[number % AHEAD].finished = true;
    shared->later[number % AHEAD].counts = w->counts;
    for (; shared->later[shared->reported % AHEAD].finished; shared->reported++) {
        shared->later[shared->reported % AHEAD].finished = false;
        add_counts(&shared->counts, &shared->later[shared->reported % AHEAD].counts);
    }
    pthread_cond_broadcast(&shared->advanced);
    pthread_mutex_unlock(&shared->lock);
}

static void *run_worker(void *arg)
{
    struct worker *w = arg;

    while (tch_blocks_take(&w->shared->blocks, &w->block) > 0) {
        w->counts = (struct tch_scan_counts){.bytes = w->block.bytes};
        w->bad_count = 0;
        if (w->status == 0) /* after a failure the rest is skipped */
            scan_block(w);
        finish_block(w);
    }
    return NULL;
}

/* Runs one worker on this thread and the others on as many threads as can be started. */
static void run_workers(struct worker *workers, unsigned count)
{
    pthread_t threads[TCH_SCAN_THREADS];
    unsigned started = 0;

    while (started + 1 < count &&
           pthread_create(&threads[started], NULL, run_worker, &workers[started + 1]) == 0)
        started++;
    run_worker(&workers[0]);
    for (unsigned i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

int tch_scan_fd(int fd, const char *name, const struct tch_scan *scan,
                struct tch_scan_counts *counts, tacho_error *err)
{
    struct worker *workers = calloc(scan->threads, sizeof *workers);
    struct shared shared = {
        .scan = scan, .lock = PTHREAD_MUTEX_INITIALIZER, .advanced = PTHREAD_COND_INITIALIZER};
    const struct worker *failed = NULL;
    int status;

    if (!workers)
        return tch_fail_memory(err);
    status = tch_blocks_init(&shared.blocks, fd, name, TCH_EVENT_MAX, err);
    if (status < 0)
        goto out;
    for (unsigned i = 0; i < scan->threads; i++) {
        workers[i] =
            (struct worker){.shared = &shared, .mine = scan->workers ? scan->workers[i] : NULL};
        tch_buf_init(&workers[i].product, TCH_PRODUCT_ROOM);
    }
    run_workers(workers, scan->threads);
    for (unsigned i = 0; i < scan->threads; i++) {
        if (workers[i].status < 0)
            failed = &workers[i];
        tch_block_release(&workers[i].block);
        free(workers[i].bad);
        tch_buf_release(&workers[i].product);
    }
    *counts = shared.counts;
    status = failed ? failed->status : shared.blocks.status;
    if (status < 0 && err)
        *err = failed ? failed->err : shared.blocks.err;
    tch_blocks_release(&shared.blocks);
    pthread_cond_destroy(&shared.advanced);
    pthread_mutex_destroy(&shared.lock);
out:
    free(workers);
    return status;
}
