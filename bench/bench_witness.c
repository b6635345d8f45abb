/* Measures witness entries: hashing the tensors of a sample, making, hashing and writing its line.
   MB/s are of the tensors. The floor hashes the tensors and the lines. The log is written in the
   working directory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/witness.h>

#include "bench.h"

#define LOG_FILE "bench_witness.jsonl"

enum { ENTRIES = 16, QUICK_ENTRIES = 1 };

struct input {
    size_t len;    /* length of the sequence; the mask has len x len values */
    size_t floats; /* values in q, and in k */
    size_t entries;
    float *q, *k;
    uint8_t *keep;
    char *line; /* as long as one of the log */
    size_t line_len;
};

static int input_init(struct input *in)
{
    uint64_t random = 1;

    in->q = malloc(2 * in->floats * sizeof(float));
    in->keep = malloc(in->len * in->len);
    if (!in->q || !in->keep) {
        fputs("bench_witness: out of memory\n", stderr);
        return -1;
    }
    in->k = in->q + in->floats;
    for (size_t i = 0; i < 2 * in->floats; i++)
        in->q[i] = (float)(bench_random(&random) >> 40);
    for (size_t i = 0; i < in->len * in->len; i++)
        in->keep[i] = bench_random(&random) & 1;
    return tacho_witness_line(
        &(tacho_witness_entry){
            .q_hash = "", .k_hash = "", .keep_mask = in->keep, .keep_count = in->len * in->len},
        &in->line, &in->line_len, NULL);
}

static int hash_alone(void *work, void *state)
{
    const struct input *in = work;
    char hash[TACHO_SHA256_TEXT] = "";

    (void)state;
    for (size_t i = 0; i < in->entries; i++) {
        tacho_sha256(in->q, 2 * in->floats * sizeof(float), hash);
        tacho_sha256(in->line, in->line_len, hash);
    }
    return hash[0] ? 0 : -1;
}

static int write_log(void *work, void *state)
{
    const struct input *in = work;
    char q_hash[TACHO_SHA256_TEXT];
    char k_hash[TACHO_SHA256_TEXT];
    tacho_witness_entry e = {.q_hash = q_hash,
                             .k_hash = k_hash,
                             .keep_mask = in->keep,
                             .keep_count = in->len * in->len,
                             .lambda = 0.5f,
                             .eps = 0.01f};
    tacho_witness *w;
    int status = tacho_witness_open(LOG_FILE, &w, NULL);

    (void)state;
    if (status < 0)
        return -1;
    for (size_t i = 0; i < in->entries && status == 0; i++) {
        tacho_tensor_hash(in->q, in->floats, q_hash);
        tacho_tensor_hash(in->k, in->floats, k_hash);
        status = tacho_witness_add(w, &e, NULL);
    }
    return tacho_witness_close(w, NULL) < 0 ? -1 : status;
}

static int check_log(void *work, void *state)
{
    const struct input *in = work;
    tacho_witness_reader *r;
    tacho_witness_entry e;
    size_t count = 0;
    int more;

    (void)state;
    if (tacho_witness_reader_open(LOG_FILE, &r, NULL) < 0)
        return -1;
    while ((more = tacho_witness_next(r, &e, NULL)) > 0)
        count++;
    tacho_witness_reader_close(r);
    return more == 0 && count == in->entries ? 0 : -1;
}

static int compare(size_t len, size_t dim, const struct bench_options *o)
{
    static const struct bench_contender contenders[] = {
        {.name = "SHA-256 of tensors and lines (floor)", .role = BENCH_FLOOR, .run = hash_alone},
        {.name = "tensors hashed, entries written", .role = BENCH_OURS, .run = write_log},
        {.name = "entries read and checked", .role = BENCH_OURS, .run = check_log},
    };
    struct input in = {
        .len = len, .floats = len * dim, .entries = o->quick ? QUICK_ENTRIES : ENTRIES};
    char name[80];
    struct bench_case c = {
        .name = name,
        .work = &in,
        .bytes = in.entries * 2 * in.floats * sizeof(float),
        .operations = in.entries,
        .operation = "sample",
        .contenders = contenders,
        .contender_count = 3,
    };
    int status = input_init(&in);

    snprintf(name, sizeof name, "Witness entries of sequences of %zu x %zu", len, dim);
    if (status == 0)
        status = write_log(&in, NULL); /* for the reader, whichever comes first */
    if (status == 0)
        status = bench_compare(&c, o);
    free(in.q);
    free(in.keep);
    free(in.line);
    unlink(LOG_FILE);
    return status;
}

int main(int argc, char **argv)
{
    struct bench_options options;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 1) {
        fprintf(stderr, "usage: bench_witness [--rounds N] [--quick] [--json]\n");
        return 64;
    }
    /* First 32 heads of 128 values each, as in a real model; then one head whose mask is 16 times
       as long. */
    if (compare(256, 4096, &options) < 0 || compare(1024, 64, &options) < 0)
        return 1;
    return 0;
}
