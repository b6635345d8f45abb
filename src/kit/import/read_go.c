/* The text that `go test -bench` prints: -count repeats in one process. */
#include <string.h>

#include "go_lines.h"

struct search {
    bool found;
};

static void find_result(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    struct search *s = ctx;

    (void)in;
    s->found = s->found || tch_go_is_result(line);
}

static bool is_go(const struct tch_import_input *in)
{
    struct search s = {false};
    struct tch_import_input copy = *in;

    tch_import_lines(&copy, find_result, &s);
    return s.found;
}

static void read_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    tch_go_line(in, line, ctx);
}

static void read_go(struct tch_import_input *in)
{
    struct tch_go_state state = {0};

    tch_import_lines(in, read_line, &state);
}

const struct tch_import_reader tch_import_go = {
    .format = {.name = "go",
               .tool = "go test",
               .is = "lines such as \"BenchmarkX-8  1000  325 ns/op\"",
               .repetition = TCH_IN_PROCESS},
    .is = is_go,
    .read = read_go,
};
