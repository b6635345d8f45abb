/* Reads lines from a file by the line reader and the JSON reader, in a process of its own. */
#include "json_file.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/lines.h"

enum { PEAK_MB = 32, REPORT_MAX = 4096 };

struct outcome {
    uint64_t bytes;
    uint64_t lines;
    uint64_t peak_kb;
    double cpu_s;
};

static double cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int read_lines(struct outcome *ret)
{
    struct tch_lines lines;
    struct tch_line line;
    tacho_error err;
    int more;

    *ret = (struct outcome){0};
    tch_lines_init_fd(&lines, STDIN_FILENO, "standard input", 0);
    while ((more = tch_lines_next(&lines, &line, &err)) > 0) {
        more = line.too_long ? tch_fail(&err, TACHO_ELIMIT, 0, "the line is too long")
                             : tch_json_check(line.text, line.len, &err);
        if (more < 0)
            break;
        ret->lines = line.number;
        ret->bytes = line.offset + line.len + line.ended;
    }
    tch_lines_release(&lines);
    if (more < 0)
        fprintf(stderr, "bench_json: line %" PRIu64 " of standard input: %s\n", ret->lines + 1,
                err.message);
    ret->cpu_s = cpu_seconds();
    ret->peak_kb = bench_peak_kb();
    return more;
}

static int print_json(const char *name, const struct outcome *o, bool met)
{
    struct tch_buf b;
    int status = -1;

    tch_buf_init(&b, REPORT_MAX);
    tch_json_begin_object(&b);
    tch_json_put_text(&b, "schema", "tacho.bench.file.v1");
    tch_json_put_text(&b, "name", name);
    tch_json_put_u64(&b, "bytes", o->bytes);
    tch_json_put_u64(&b, "lines", o->lines);
    tch_json_put_f64(&b, "cpu_s", o->cpu_s);
    tch_json_put_u64(&b, "peak_rss_bytes", o->peak_kb * 1024);
    tch_json_put_u64(&b, "target_bytes", (uint64_t)PEAK_MB << 20);
    tch_json_put_bool(&b, "met", met);
    tch_json_end_object(&b);
    tch_json_line_end(&b);
    if (!b.failed && fwrite(b.data, 1, b.len, stdout) == b.len)
        status = fflush(stdout);
    tch_buf_release(&b);
    return status;
}

int json_file_read(const char *name, const struct bench_options *options)
{
    struct outcome o;
    bool met;

    if (read_lines(&o) < 0)
        return -1;
    met = o.peak_kb > 0 && o.peak_kb < PEAK_MB * 1024;
    if (options->json)
        return print_json(name, &o, met);
    printf("%s\n%.1f MB, %" PRIu64 " lines, from a file: %.1f MB/s of CPU time\n"
           "  peak RSS %.1f MiB; target below %d: %s\n\n",
           name, (double)o.bytes / 1e6, o.lines, (double)o.bytes / o.cpu_s / 1e6,
           (double)o.peak_kb / 1024, PEAK_MB, bench_met(met));
    return fflush(stdout);
}

/* Runs this program again with the file as its standard input. */
static int read_elsewhere(const char *name, int fd, bool json)
{
    char *const argv[] = {"bench_json", "--read", (char *)name, json ? "--json" : NULL, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status;
    int failure;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fd, STDIN_FILENO);
    failure = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failure != 0) {
        fprintf(stderr, "bench_json: cannot start itself: %s\n", strerrordesc_np(failure));
        return -1;
    }
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

int json_file_compare(const char *name, const struct json_input *in,
                      const struct bench_options *options)
{
    FILE *file = tmpfile();
    int status = -1;

    if (!file || fwrite(in->text, 1, in->len, file) != in->len || fflush(file) != 0 ||
        lseek(fileno(file), 0, SEEK_SET) != 0)
        perror("bench_json: cannot write a temporary file");
    else
        status = read_elsewhere(name, fileno(file), options->json);
    if (file)
        fclose(file);
    return status;
}
