/* attention: a small, real, deterministic workload to measure. See README.md. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "workload.h"

enum { EXIT_WORK = 1, EXIT_CHECK = 2, EXIT_USAGE = 64 };

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Returns the smallest time that at least `share` of the samples do not exceed. */
static double nearest_rank(const double *sorted, size_t count, double share)
{
    size_t rank = (size_t)(share * (double)count);

    if ((double)rank < share * (double)count)
        rank++;
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void print_times(double *seconds, size_t count, double operations)
{
    double total = 0;

    for (size_t i = 0; i < count; i++)
        total += seconds[i];
    qsort(seconds, count, sizeof seconds[0], by_size);
    printf("time      min %.3f ms, median %.3f ms, p95 %.3f ms, max %.3f ms per sample\n",
           seconds[0] * 1e3, nearest_rank(seconds, count, 0.5) * 1e3,
           nearest_rank(seconds, count, 0.95) * 1e3, seconds[count - 1] * 1e3);
    printf("speed     %.2f GFLOP/s\n", total > 0 ? operations / total / 1e9 : 0);
}

static void print_gating(const struct options *o, const struct workload_result *r)
{
    const struct coherence_batch *c = &r->coherence;

    printf("gating    lambda %g, tau %" PRIu64
           ", eps %g: %.2f %% of the edges kept, %.2f %% of the "
           "samples cut\n",
           (double)o->lambda, o->tau, (double)o->eps, 100 * r->edges_kept, 100 * r->cut);
    printf("coherence delta %.6f (%.6f to %.6f), %.2f %% of the samples pass\n", c->mean, c->low,
           c->high, 100 * c->passing);
    printf("kv cache  %.2f %% less\n", 100 * r->kv_cache_reduction);
}

static void print_result(const struct options *o, const struct workload_result *r)
{
    if (o->quiet) {
        printf("%016" PRIx64 "\n", r->checksum);
        return;
    }
    printf(
        "workload  %s, %zu samples, seq-len %zu:%zu%s, heads %zu, dim %zu, %s input, seed %" PRIu64
        "\n",
        o->mode, o->samples, o->min_len, o->max_len, o->doubling ? " doubling" : "", o->heads,
        o->dim, o->input, o->seed);
    printf("checksum  %016" PRIx64 "\n", r->checksum);
    if (o->check)
        printf(
            "check     every output within %g of the reference, the largest difference is %.2g\n",
            WORKLOAD_TOLERANCE, r->largest_diff);
    if (o->gated)
        print_gating(o, r);
    print_times(r->seconds, o->samples, r->operations);
}

static int run(const struct options *o)
{
    struct workload_result result;
    int status = EXIT_WORK;

    switch (workload_run(o, &result)) {
    case WORKLOAD_OK:
        print_result(o, &result);
        status = EXIT_SUCCESS;
        break;
    case WORKLOAD_WRONG:
        fprintf(stderr,
                "attention: an output is %g from the reference, more than %g; the kernel or the "
                "compiler is wrong\n",
                result.largest_diff, WORKLOAD_TOLERANCE);
        status = EXIT_CHECK;
        break;
    case WORKLOAD_TOO_LARGE:
        fputs("attention: heads x longest sequence x dim is more than 134217728 floats (2 GiB for "
              "the four tensors); make one of them smaller\n",
              stderr);
        status = EXIT_USAGE;
        break;
    case WORKLOAD_FAILED:
        break;
    case WORKLOAD_NO_MEMORY:
        fputs("attention: out of memory; make --seq-len, --heads or --dim smaller\n", stderr);
        break;
    }
    free(result.seconds);
    return status;
}

int main(int argc, char **argv)
{
    struct options o;
    int status = EXIT_SUCCESS;

    if (options_parse(argc, argv, &o) < 0)
        return EXIT_USAGE;
    if (o.help)
        options_usage(stdout);
    else
        status = run(&o);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("attention: cannot write to standard output");
        status = EXIT_WORK;
    }
    return status;
}
