/* Compares softmax attention of examples/attention with the two matrix products alone by OpenBLAS,
   on one core, and measures the minimum cut of its gate. GFLOP/s are 1,000 divided by ns/kFLOP. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(BENCH_OPENBLAS)
#include <cblas.h>
#endif

#include "attention.h"
#include "bench.h"
#include "mincut.h"

enum { DIM = 64, MAX_LEN = 1024 };

struct input {
    size_t len;
    float *q, *k, *v, *out; /* len x DIM */
    float *logits;          /* len x len */
    uint8_t *keep;
    struct attention attention;
    struct mincut mincut;
    float expected; /* the first output */
};

static int input_init(struct input *in, size_t len)
{
    uint64_t random = 1;
    size_t count = len * DIM;

    *in = (struct input){.len = len};
    in->q = malloc(4 * count * sizeof(float));
    in->logits = malloc(len * len * sizeof(float));
    in->keep = malloc(len * len);
    if (!in->q || !in->logits || !in->keep || attention_init(&in->attention, len, DIM) < 0 ||
        mincut_init(&in->mincut, len) < 0) {
        fputs("bench_attention: out of memory\n", stderr);
        return -1;
    }
    in->k = in->q + count;
    in->v = in->k + count;
    in->out = in->v + count;
    for (size_t i = 0; i < 3 * count; i++)
        in->q[i] = (float)(bench_random(&random) >> 40) * 0x1p-22f - 2;
    attention_softmax(&in->attention, in->q, in->k, in->v, len, in->out);
    in->expected = in->out[0];
    attention_logits(&in->attention, in->q, in->k, len, in->logits);
    return 0;
}

static void input_release(struct input *in)
{
    attention_release(&in->attention);
    mincut_release(&in->mincut);
    free(in->q);
    free(in->logits);
    free(in->keep);
}

static int run_softmax(void *work, void *state)
{
    struct input *in = work;

    (void)state;
    attention_softmax(&in->attention, in->q, in->k, in->v, in->len, in->out);
    return memcmp(&in->out[0], &in->expected, sizeof(float)) == 0 ? 0 : -1;
}

#if defined(BENCH_OPENBLAS)
/* Starts this program again with variables for OpenBLAS, which reads them when it is loaded. A
   version that does not know the CPU uses its oldest kernels, here at a quarter of the speed, and
   its idle threads spin and use CPU time of this process. */
static void choose_kernels(char **argv)
{
    const char *name = __builtin_cpu_supports("avx512f") ? "SkylakeX"
                       : __builtin_cpu_supports("avx2")  ? "Haswell"
                                                         : NULL;

    if (getenv("OPENBLAS_NUM_THREADS"))
        return;
    if (name && !getenv("OPENBLAS_CORETYPE"))
        (void)setenv("OPENBLAS_CORETYPE", name, 1);
    if (setenv("OPENBLAS_NUM_THREADS", "1", 1) == 0)
        execv("/proc/self/exe", argv);
}

static int run_openblas(void *work, void *state)
{
    struct input *in = work;
    int n = (int)in->len;

    (void)state;
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, DIM, 1, in->q, DIM, in->k, DIM, 0,
                in->logits, n);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, DIM, n, 1, in->logits, n, in->v, DIM,
                0, in->out, DIM);
    return in->out[0] == in->out[0] ? 0 : -1;
}
#endif

static int run_reading(void *work, void *state)
{
    const struct input *in = work;
    size_t above = 0;

    (void)state;
    for (size_t i = 0; i < in->len * in->len; i++)
        above += in->logits[i] > 0.01f;
    return above > 0 ? 0 : -1;
}

static int run_gate(void *work, void *state)
{
    struct input *in = work;
    struct mincut_result r;

    (void)state;
    mincut_gate(&in->mincut, in->logits, in->len, 0.5f, 0.01f, in->keep, &r);
    return r.kept > 0 ? 0 : -1;
}

static int compare_attention(struct input *in, const struct bench_options *o)
{
    const struct bench_contender contenders[] = {
        {.name = "softmax attention", .role = BENCH_OURS, .run = run_softmax},
        {.name = "OpenBLAS sgemm, both products",
         .role = BENCH_PEER,
#if defined(BENCH_OPENBLAS)
         .run = run_openblas,
#endif
         .missing = "not installed (package libopenblas-dev)"},
    };
    char name[64];
    struct bench_case c = {
        .name = name,
        .work = in,
        .bytes = 4 * in->len * DIM * sizeof(float),
        .operations = 4 * in->len * in->len * DIM / 1000,
        .operation = "kFLOP",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
    };

    snprintf(name, sizeof name, "Attention of %zu x %d, one core", in->len, DIM);
    return bench_compare(&c, o);
}

static int compare_gate(struct input *in, const struct bench_options *o)
{
    static const struct bench_contender contenders[] = {
        {.name = "reading the logits (floor)", .role = BENCH_FLOOR, .run = run_reading},
        {.name = "min-cut gate", .role = BENCH_OURS, .run = run_gate},
    };
    char name[64];
    struct bench_case c = {
        .name = name,
        .work = in,
        .bytes = in->len * in->len * sizeof(float),
        .operations = in->len * in->len,
        .operation = "logit",
        .contenders = contenders,
        .contender_count = 2,
    };

    /* OpenBLAS wrote its products, with other last bits, to the same memory. */
    attention_logits(&in->attention, in->q, in->k, in->len, in->logits);
    snprintf(name, sizeof name, "Minimum cut of %zu nodes (Dinic)", in->len);
    return bench_compare(&c, o);
}

int main(int argc, char **argv)
{
    static const size_t lengths[] = {256, MAX_LEN};
    struct bench_options options;
    int status = 0;

#if defined(BENCH_OPENBLAS)
    choose_kernels(argv);
#endif
    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 1) {
        fprintf(stderr, "usage: bench_attention [--rounds N] [--quick] [--json]\n");
        return 64;
    }
    for (size_t i = 0; i < (options.quick ? 1 : 2) && status == 0; i++) {
        struct input in;

        status = input_init(&in, lengths[i]);
        if (status == 0)
            status = compare_attention(&in, &options);
        if (status == 0)
            status = compare_gate(&in, &options);
        input_release(&in);
    }
    return status == 0 ? 0 : 1;
}
