/* A list of latency records. It is stored by column, because statistics read one column only. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/fail.h"
#include "base/no_cancel.h"
#include "csv_columns.h"
#include "csv_write.h"
#include "latency_stats.h"

enum { COLUMNS = 4, FIRST = 4096, DOUBLINGS = 20, BLOCKS = 40 };
enum { FLUSH_NS = 1000000000 }; /* a kill loses at most the records of this much recorded time */

/* Blocks double in size, so there are few of them and records never move. */
struct block {
    size_t n;
    size_t room;
    uint64_t *columns[COLUMNS]; /* sample_id, wall_ns, kernel_ns, seq_len */
};

struct tacho_latency {
    size_t count;
    unsigned blocks;
    struct block block[BLOCKS];
    tacho_csv *csv;        /* NULL: there is no run folder */
    unsigned forks;        /* value of `forks` when csv was opened */
    uint64_t unflushed_ns; /* time recorded since the last flush */
};

/* Number of forks between the process that loaded the library and this one. */
static atomic_uint forks;

static void count_fork(void)
{
    atomic_fetch_add_explicit(&forks, 1, memory_order_relaxed);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork); /* fails only if memory runs out; rows of a forked
                                                     child may then be duplicates */
}

static bool is_of_parent(const tacho_latency *list)
{
    return list->forks != atomic_load_explicit(&forks, memory_order_relaxed);
}

static int open_csv(tacho_latency *list, tacho_error *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int status = tch_csv_open_in_run(TACHO_CSV_LATENCY_NS, &list->csv, err);

    if (list->csv)
        pthread_once(&once, watch_forks);
    list->forks = atomic_load_explicit(&forks, memory_order_relaxed);
    return status;
}

/* Writes a record to the file. A forked child opens a new file, because the buffer of the old
   one has rows that the parent will write. */
static int write_row(tacho_latency *list, const tacho_latency_record *record, tacho_error *err)
{
    int status = 0;

    if (is_of_parent(list)) {
        tacho_csv_discard(list->csv);
        list->csv = NULL;
        status = open_csv(list, err);
    }
    if (status < 0 || !list->csv)
        return status;
    status = tacho_csv_add_latency_ns(list->csv,
                                      &(tacho_csv_latency_ns){.sample_id = record->sample_id,
                                                              .wall_ns = record->wall_ns,
                                                              .kernel_ns = record->kernel_ns,
                                                              .seq_len = record->seq_len},
                                      err);
    list->unflushed_ns += record->wall_ns < FLUSH_NS ? record->wall_ns : FLUSH_NS;
    if (status < 0 || list->unflushed_ns < FLUSH_NS)
        return status;
    list->unflushed_ns = 0;
    return tacho_csv_flush(list->csv, err);
}

int tacho_latency_new(tacho_latency **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_latency *list = calloc(1, sizeof *list);
    int status;

    if (!list)
        return tch_fail_memory(err);
    status = open_csv(list, err);
    if (status < 0)
        free(list);
    else
        *ret = list;
    return status;
}

void tacho_latency_free(tacho_latency *list)
{
    TCH_NO_CANCEL;

    if (!list)
        return;
    if (is_of_parent(list))
        tacho_csv_discard(list->csv);
    else if (list->csv && tacho_csv_close(list->csv, NULL) < 0)
        list->csv = NULL; /* an earlier call has reported the failure */
    for (unsigned b = 0; b < list->blocks; b++)
        free(list->block[b].columns[0]);
    free(list);
}

static int grow(tacho_latency *list, tacho_error *err)
{
    TCH_NO_CANCEL;
    struct block *block = &list->block[list->blocks];
    size_t room = (size_t)FIRST << (list->blocks < DOUBLINGS ? list->blocks : DOUBLINGS);

    if (list->blocks == BLOCKS || !(block->columns[0] = malloc(room * COLUMNS * sizeof(uint64_t))))
        return tch_fail_memory(err);
    for (unsigned c = 1; c < COLUMNS; c++)
        block->columns[c] = block->columns[0] + c * room;
    block->room = room;
    list->blocks++;
    return 0;
}

int tacho_latency_add(tacho_latency *list, const tacho_latency_record *record, tacho_error *err)
{
    struct block *block;

    if (list->blocks == 0 || list->block[list->blocks - 1].n == list->block[list->blocks - 1].room)
        if (grow(list, err) < 0)
            return TACHO_ENOMEM;
    block = &list->block[list->blocks - 1];
    block->columns[0][block->n] = record->sample_id;
    block->columns[1][block->n] = record->wall_ns;
    block->columns[2][block->n] = record->kernel_ns;
    block->columns[3][block->n] = record->seq_len;
    block->n++;
    list->count++;
    return list->csv ? write_row(list, record, err) : 0;
}

int tacho_latency_add_us(tacho_latency *list, const tacho_latency_record_us *record,
                         tacho_error *err)
{
    if (record->wall_time_us > UINT64_MAX / 1000 || record->kernel_time_us > UINT64_MAX / 1000)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "a time of %llu us is too long: in nanoseconds it does not fit 64 bits",
                        (unsigned long long)(record->wall_time_us > record->kernel_time_us
                                                 ? record->wall_time_us
                                                 : record->kernel_time_us));
    return tacho_latency_add(list,
                             &(tacho_latency_record){.sample_id = record->sample_id,
                                                     .wall_ns = record->wall_time_us * 1000,
                                                     .kernel_ns = record->kernel_time_us * 1000,
                                                     .seq_len = record->seq_len},
                             err);
}

size_t tacho_latency_count(const tacho_latency *list)
{
    return list->count;
}

tacho_latency_record tacho_latency_at(const tacho_latency *list, size_t i)
{
    const struct block *block = list->block;

    for (; i >= block->n; block++)
        i -= block->n;
    return (tacho_latency_record){.sample_id = block->columns[0][i],
                                  .wall_ns = block->columns[1][i],
                                  .kernel_ns = block->columns[2][i],
                                  .seq_len = block->columns[3][i]};
}

int tacho_latency_wall_stats(const tacho_latency *list, tacho_latency_stats *ret, tacho_error *err)
{
    struct tch_latency_piece pieces[BLOCKS];

    for (unsigned b = 0; b < list->blocks; b++)
        pieces[b] = (struct tch_latency_piece){list->block[b].columns[1], list->block[b].n};
    return tch_latency_stats_give(pieces, list->blocks, ret, err);
}

int tacho_latency_wall_stats_us(const tacho_latency *list, tacho_latency_stats *ret,
                                tacho_error *err)
{
    uint64_t *us = malloc((list->count > 0 ? list->count : 1) * sizeof *us);
    size_t n = 0;
    int status;

    if (!us)
        return tch_fail_memory(err);
    for (unsigned b = 0; b < list->blocks; b++)
        for (size_t i = 0; i < list->block[b].n; i++)
            us[n++] = tch_csv_us(list->block[b].columns[1][i]);
    status = tacho_latency_stats_of(us, n, ret, err);
    free(us);
    return status;
}

int tacho_latency_write_csv(const tacho_latency *list, const char *path, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_csv *csv;
    int status = tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_WHOLE, &csv, err);

    if (status < 0)
        return status;
    for (size_t i = 0; i < list->count; i++) {
        tacho_latency_record record = tacho_latency_at(list, i);
        tacho_csv_latency row = {.sample_id = record.sample_id,
                                 .wall_time_us = tch_csv_us(record.wall_ns),
                                 .kernel_time_us = tch_csv_us(record.kernel_ns),
                                 .seq_len = record.seq_len};

        status = tacho_csv_add_latency(csv, &row, err);
        if (status < 0) {
            tacho_csv_discard(csv);
            return status;
        }
    }
    return tacho_csv_close(csv, err);
}
