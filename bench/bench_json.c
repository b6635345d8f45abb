/* Measures validating every byte of JSON lines in memory, for tacho's reader, the floors and other
   parsers. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "bench.h"
#include "json_file.h"
#include "json_lines.h"

enum { SIZE = 200 * 1000 * 1000, QUICK_SIZE = 20 * 1000 * 1000 };

static int find_lines(void *work, void *state)
{
    const struct json_input *in = work;
    const char *end = in->text + in->len;
    size_t lines = 0;

    (void)state;
    for (const char *at = in->text; at < end; lines++)
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
    return lines == in->lines ? 0 : -1;
}

static int add_bytes(void *work, void *state)
{
    const struct json_input *in = work;
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < in->len; i++)
        sum += (unsigned char)in->text[i];
    return sum > 0 ? 0 : -1;
}

static void *open_reader(void)
{
    return malloc(sizeof(struct tch_json_reader));
}

static bool read_best(void *parser, const char *line, size_t len)
{
    (void)parser;
    return tch_json_check(line, len, NULL) == 0;
}

static bool read_portable(void *parser, const char *line, size_t len)
{
    struct tch_json_reader *r = parser;

    tch_json_open(r, line, len, NULL);
    r->scanner = tch_json_scan_portable;
    return tch_json_skip(r) == 0 && tch_json_finish(r) == 0;
}

static const struct json_peer best = {"tacho", NULL, open_reader, read_best, free};
static const struct json_peer portable = {"tacho, portable", NULL, open_reader, read_portable,
                                          free};

static int compare(const char *name, struct json_input *in, const struct bench_options *options)
{
    const struct bench_contender contenders[] = {
        {.name = "memchr for LF (floor)", .role = BENCH_FLOOR, .run = find_lines},
        {.name = "sum of bytes (floor)", .role = BENCH_FLOOR, .run = add_bytes},
        json_contender(BENCH_OURS, &best),
        json_contender(BENCH_OURS, &portable),
        json_contender(BENCH_PEER, &peer_simdjson),
        json_contender(BENCH_PEER, &peer_jsonc),
        json_contender(BENCH_PEER, &peer_jansson),
    };
    const struct bench_target targets[] = {
        {best.name, peer_jsonc.name, 8},
        {best.name, peer_simdjson.name, 0.5},
    };
    const struct bench_case c = {
        .name = name,
        .work = in,
        .bytes = in->len,
        .operations = in->lines,
        .operation = "line",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
        .targets = targets,
        .target_count = sizeof targets / sizeof targets[0],
    };

    return bench_compare(&c, options);
}

/* Uses the named files, else those of the reference data, else a made-up line of the same kind. */
static int make_long_lines(struct json_input *in, char *const *paths, size_t count, size_t size,
                           const char **name)
{
    const char *folder = getenv("TACHO_REFERENCE_DATA");
    glob_t found = {0};
    char pattern[4096];
    int status;

    if (count > 0)
        return json_input_from_files(in, paths, count, size);
    if (!folder || !*folder) {
        *name = "JSON: long profile events, made up, varied";
        return json_input_from_nothing(in, size);
    }
    snprintf(pattern, sizeof pattern, "%s/corpus/ferrum/*.jsonl", folder);
    if (glob(pattern, 0, NULL, &found) != 0) {
        fprintf(stderr, "bench_json: no file matches '%s'; fix TACHO_REFERENCE_DATA or unset it\n",
                pattern);
        return -1;
    }
    status = json_input_from_files(in, found.gl_pathv, found.gl_pathc, size);
    globfree(&found);
    return status;
}

/* Measures in memory, then from a file, and releases the input. */
static int measure(const char *name, struct json_input *in, const struct bench_options *options)
{
    int status = compare(name, in, options);

    if (status == 0)
        status = json_file_compare(name, in, options);
    json_input_release(in);
    return status;
}

static int run(char *const *paths, size_t count, const struct bench_options *options)
{
    size_t size = options->quick ? QUICK_SIZE : SIZE;
    const char *name = "JSON: long profile events, from files, varied";
    struct json_input in;

    if (make_long_lines(&in, paths, count, size, &name) < 0 || measure(name, &in, options) < 0)
        return -1;
    if (json_input_events(&in, size) < 0)
        return -1;
    return measure("JSON: profile events of 388 bytes", &in, options);
}

int main(int argc, char **argv)
{
    struct bench_options options;
    size_t inputs = 0;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc == 3 && strcmp(argv[1], "--read") == 0)
        return json_file_read(argv[2], &options) < 0 ? 1 : 0;
    if (argc > 2 && strcmp(argv[1], "--input") == 0) {
        inputs = (size_t)argc - 2;
    } else if (argc > 1) {
        fputs("usage: bench_json [--rounds N] [--quick] [--json] [--input FILE...]\n"
              "       bench_json [--json] --read NAME <FILE    speed and peak memory alone\n",
              stderr);
        return 64;
    }
    return run(argv + 2, inputs, &options) < 0 ? 1 : 0;
}
