/*
 * Compares folding perf's text with grep, and drawing a million stacks with sort. These are whole
 * programs with files in the page cache, and their output is discarded.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench.h"
#include "flame_input.h"
#include "program.h"

enum { PEAK_MB = 200, SVG_MB = 5 };

struct file {
    char path[64];
    uint64_t bytes;
};

static int make_file(struct file *f, int (*write)(FILE *, const struct flame_shape *),
                     const struct flame_shape *shape)
{
    struct stat st;
    FILE *file;
    int fd;

    snprintf(f->path, sizeof f->path, "%s/bench-flame-XXXXXX", "/tmp");
    fd = mkstemp(f->path);
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file || write(file, shape) < 0 || fflush(file) != 0 || fstat(fd, &st) < 0) {
        perror("bench_flame: cannot write a temporary file");
        if (file)
            fclose(file);
        return -1;
    }
    fclose(file);
    f->bytes = (uint64_t)st.st_size;
    return 0;
}

static int bench_fold(const struct file *in, uint64_t samples, const struct bench_options *options)
{
    char out[80];
    /* grep detects /dev/null as its output and would stop at the first match. */
    struct bench_program grep = {
        .argv = {"grep", "-c", "^$", in->path}, .locale = "LC_ALL=C", .output = out};
    struct bench_program ours = {.argv = {TACHO_COMMAND, "flame", "fold", in->path}};
    struct bench_program inferno = {.argv = {"inferno-collapse-perf", "-n", "1", in->path}};
    struct bench_program perl = {.argv = {"stackcollapse-perf.pl", in->path}};
    const struct bench_contender contenders[] = {
        {.name = "grep -c '^$'", .role = BENCH_PEER, .arg = &grep, .run = bench_run_program},
        {.name = "tacho flame fold", .role = BENCH_OURS, .arg = &ours, .run = bench_run_program},
        bench_program_peer("inferno-collapse-perf -n 1", "not installed (cargo install inferno)",
                           &inferno),
        bench_program_peer("stackcollapse-perf.pl",
                           "not installed (FlameGraph, from its repository)", &perl),
    };
    const struct bench_target targets[] = {{"tacho flame fold", "grep -c '^$'", 0.5}};
    const struct bench_case c = {
        .name = "folding the text of perf script",
        .work = (void *)in,
        .bytes = in->bytes,
        .operations = samples,
        .operation = "sample",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
        .targets = targets,
        .target_count = 1,
    };
    int status;

    snprintf(out, sizeof out, "%s.out", in->path);
    status = bench_compare(&c, options);
    unlink(out);
    if (status == 0 && !options->json)
        printf("  peak memory of ours: %.1f MB\n\n", (double)ours.peak_kb / 1000);
    return status;
}

static int bench_draw(const struct file *in, uint64_t stacks, const struct bench_options *options)
{
    char svg[80];
    struct stat st = {0};
    struct bench_program sort = {.argv = {"sort", in->path}, .locale = "LC_ALL=C"};
    struct bench_program ours = {.argv = {TACHO_COMMAND, "flame", "draw", in->path}, .output = svg};
    struct bench_program inferno = {.argv = {"inferno-flamegraph", in->path}};
    struct bench_program perl = {.argv = {"flamegraph.pl", in->path}};
    const struct bench_contender contenders[] = {
        {.name = "LC_ALL=C sort", .role = BENCH_PEER, .arg = &sort, .run = bench_run_program},
        {.name = "tacho flame draw", .role = BENCH_OURS, .arg = &ours, .run = bench_run_program},
        bench_program_peer("inferno-flamegraph", "not installed (cargo install inferno)", &inferno),
        bench_program_peer("flamegraph.pl", "not installed (FlameGraph, from its repository)",
                           &perl),
    };
    const struct bench_target targets[] = {{"tacho flame draw", "LC_ALL=C sort", 1 / 1.5}};
    const struct bench_case c = {
        .name = "drawing distinct stacks",
        .work = (void *)in,
        .bytes = in->bytes,
        .operations = stacks,
        .operation = "stack",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
        .targets = targets,
        .target_count = 1,
    };
    int status;

    snprintf(svg, sizeof svg, "%s.svg", in->path);
    status = bench_compare(&c, options);
    if (stat(svg, &st) < 0)
        status = -1;
    unlink(svg);
    if (status == 0 && !options->json)
        printf("  peak memory of ours: %.1f MB; target below %d: %s\n"
               "  the SVG: %.2f MB; target below %d: %s\n\n",
               (double)ours.peak_kb / 1000, PEAK_MB, bench_met(ours.peak_kb < PEAK_MB * 1000),
               (double)st.st_size / 1e6, SVG_MB, bench_met(st.st_size < SVG_MB * 1000000L));
    return status;
}

int main(int argc, char **argv)
{
    struct flame_shape folded = flame_folded_shape;
    struct flame_shape perf = flame_perf_shape;
    struct bench_options options;
    struct file folded_file = {{0}, 0};
    struct file perf_file = {{0}, 0};
    int status = 1;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 1) {
        fprintf(stderr, "usage: bench_flame [--rounds N] [--quick] [--json]\n");
        return 64;
    }
    if (options.quick) {
        folded.stacks /= 50;
        perf.stacks /= 50;
    }
    if (make_file(&perf_file, flame_write_perf, &perf) == 0 &&
        make_file(&folded_file, flame_write_folded, &folded) == 0 &&
        bench_fold(&perf_file, perf.stacks, &options) == 0 &&
        bench_draw(&folded_file, folded.stacks, &options) == 0)
        status = 0;
    unlink(perf_file.path);
    unlink(folded_file.path);
    return status;
}
