/* A list of latency records, stored by column: statistics read one column alone. */
#include <stdbool.h>

#include "base/fail.h"
#include "csv_columns.h"
#include "latency_stats.h"

enum { COLUMNS = 4, FIRST = 4096, DOUBLINGS = 20, BLOCKS = 40 };

/* Blocks double in size, so there are few of them, and records never move. */
struct block {
    size_t n;
    size_t room;
    uint64_t *columns[COLUMNS]; /* sample_id, wall_ns, kernel_ns, seq_len */
};

struct tacho_latency {
    size_t count;
    unsigned blocks;
    struct block block[BLOCKS];
    tacho_csv *csv; /* NULL: there is no run folder */
};

int tacho_latency_new(tacho_latency **ret, tacho_error *err)
{
    tacho_latency *list = calloc(1, sizeof *list);
    int status;

    if (!list)
        return tch_fail_memory(err);
    status = tch_csv_open_in_run(TACHO_CSV_LATENCY, &list->csv, err);
    if (status < 0)
        free(list);
    else
        *ret = list;
    return status;
}

void tacho_latency_free(tacho_latency *list)
{
    if (!list)
        return;
    if (list->csv && tacho_csv_close(list->csv, NULL) < 0)
        list->csv = NULL; /* an earlier add has reported it */
    for (unsigned b = 0; b < list->blocks; b++)
        free(list->block[b].columns[0]);
    free(list);
}

static int grow(tacho_latency *list, tacho_error *err)
{
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

/* Rounds to microseconds, half up. */
static uint64_t to_us(uint64_t ns)
{
    return ns / 1000 + (ns % 1000 >= 500);
}

static tacho_csv_latency csv_row(const tacho_latency_record *record)
{
    return (tacho_csv_latency){.sample_id = record->sample_id,
                               .wall_time_us = to_us(record->wall_ns),
                               .kernel_time_us = to_us(record->kernel_ns),
                               .seq_len = record->seq_len};
}

int tacho_latency_add(tacho_latency *list, const tacho_latency_record *record, tacho_error *err)
{
    struct block *block;
    tacho_csv_latency row;

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
    if (!list->csv)
        return 0;
    row = csv_row(record);
    return tacho_csv_add_latency(list->csv, &row, err);
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

int tacho_latency_stats_get(const tacho_latency *list, tacho_latency_stats *ret, tacho_error *err)
{
    struct tch_latency_piece pieces[BLOCKS];

    for (unsigned b = 0; b < list->blocks; b++)
        pieces[b] = (struct tch_latency_piece){list->block[b].columns[1], list->block[b].n};
    return tch_latency_stats(pieces, list->blocks, ret, err);
}

int tacho_latency_write_csv(const tacho_latency *list, const char *path, tacho_error *err)
{
    tacho_csv *csv;
    int status = tacho_csv_open(path, TACHO_CSV_LATENCY, TACHO_CSV_WHOLE, &csv, err);

    if (status < 0)
        return status;
    for (size_t i = 0; i < list->count; i++) {
        tacho_latency_record record = tacho_latency_at(list, i);
        tacho_csv_latency row = csv_row(&record);

        status = tacho_csv_add_latency(csv, &row, err);
        if (status < 0) {
            tacho_csv_discard(csv);
            return status;
        }
    }
    return tacho_csv_close(csv, err);
}
