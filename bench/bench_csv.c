/* Measures writing latency.csv in rows per second. */
#include <stdio.h>
#include <stdlib.h>

#include <tacho/csv.h>

#include "bench.h"

enum { ROWS = 2000000, QUICK_ROWS = 20000 };

struct rows {
    tacho_csv_latency *rows;
    size_t n;
};

static int write_tacho(void *work, void *state)
{
    const struct rows *r = work;
    tacho_csv *csv = NULL;

    (void)state;
    if (tacho_csv_open("/dev/null", TACHO_CSV_LATENCY, TACHO_CSV_STREAM, &csv, NULL) < 0)
        return -1;
    for (size_t i = 0; i < r->n; i++)
        tacho_csv_add_latency(csv, &r->rows[i], NULL);
    return tacho_csv_close(csv, NULL);
}

static int write_stdio(void *work, void *state)
{
    const struct rows *r = work;
    FILE *f = fopen("/dev/null", "we");

    (void)state;
    if (!f)
        return -1;
    fputs("sample_id,wall_time_us,kernel_time_us,seq_len\n", f);
    for (size_t i = 0; i < r->n; i++)
        fprintf(f, "%llu,%llu,%llu,%llu\n", (unsigned long long)r->rows[i].sample_id,
                (unsigned long long)r->rows[i].wall_time_us,
                (unsigned long long)r->rows[i].kernel_time_us,
                (unsigned long long)r->rows[i].seq_len);
    return fclose(f) == 0 ? 0 : -1;
}

/* The floor: copies the bytes once. */
static int copy_rows(void *work, void *state)
{
    const struct rows *r = work;
    static char block[65536];
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < r->n; i++) {
        at = at + sizeof *r->rows <= sizeof block ? at : 0;
        memcpy(block + at, &r->rows[i], sizeof *r->rows);
        at += sizeof *r->rows;
    }
    return block[0] == 1 && block[1] == 2 && block[2] == 3 ? -1 : 0;
}

int main(int argc, char **argv)
{
    const struct bench_contender contenders[] = {
        {.name = "memcpy of the rows (floor)", .role = BENCH_FLOOR, .run = copy_rows},
        {.name = "tacho", .role = BENCH_OURS, .run = write_tacho, .most_floors = 12},
        {.name = "fprintf", .role = BENCH_PEER, .run = write_stdio},
    };
    struct bench_options o;
    struct rows r;
    uint64_t random = 1;
    int status;

    if (bench_parse(&argc, argv, &o) < 0)
        return EXIT_FAILURE;
    r.n = o.quick ? QUICK_ROWS : ROWS;
    r.rows = malloc(r.n * sizeof *r.rows);
    if (!r.rows)
        return EXIT_FAILURE;
    for (size_t i = 0; i < r.n; i++) {
        uint64_t x = bench_random(&random);

        r.rows[i] = (tacho_csv_latency){i, 100 + x % 100000, 80 + (x >> 32) % 60000,
                                        UINT64_C(64) << (x % 5)};
    }
    status = bench_compare(&(struct bench_case){.name = "latency.csv",
                                                .work = &r,
                                                .operations = r.n,
                                                .operation = "row",
                                                .contenders = contenders,
                                                .contender_count = 3},
                           &o);
    free(r.rows);
    return status < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
