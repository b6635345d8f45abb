/* Lines of the Go benchmark format. */
#include "go_lines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"

enum { WORDS_MOST = 64 };

static bool is_result(const struct tch_span *words, size_t n)
{
    uint64_t iterations;
    double value;

    if (n < 4 || n % 2 != 0 || !tch_span_starts(words[0], "Benchmark") ||
        tch_parse_u64_n(words[1].p, words[1].len, UINT64_MAX, &iterations) < 0)
        return false;
    for (size_t i = 2; i < n; i += 2)
        if (tch_parse_f64_n(words[i].p, words[i].len, &value) < 0)
            return false;
    return true;
}

bool tch_go_is_result(struct tch_span line)
{
    struct tch_span words[WORDS_MOST];

    return line.len > 9 && memcmp(line.p, "Benchmark", 9) == 0 &&
           is_result(words, tch_import_words(line, words, WORDS_MOST));
}

/* Describes the metric of a unit. Returns the factor to the metric's own unit. */
static double metric_of(struct tch_span unit, const struct tch_go_state *state, char *name,
                        struct tch_import_metric *m)
{
    snprintf(name, TCH_GO_UNIT_TEXT, "%.*s", (int)(unit.len < 39 ? unit.len : 39), unit.p);
    *m = (struct tch_import_metric){name, name, tch_import_unit_better(unit.p, unit.len), false};
    if (tch_span_is(unit, "ns/op"))
        *m = tch_import_wall;
    else if (tch_span_is(unit, "B/op"))
        m->unit = "B";
    else if (tch_span_is(unit, "allocs/op"))
        *m = (struct tch_import_metric){name, "count", TCH_BETTER_LOWER, true};
    for (size_t i = 0; i < state->unit_count; i++)
        if (strcmp(state->units[i].name, name) == 0) {
            if (state->units[i].better != TCH_BETTER_UNKNOWN)
                m->better = state->units[i].better;
            m->exact |= state->units[i].exact;
        }
    return 1;
}

static void add_result(struct tch_import_input *in, const struct tch_span *words, size_t n,
                       const struct tch_go_state *state)
{
    struct tch_result *r;
    struct tch_buf name;

    tch_buf_init(&name, TCH_IMPORT_NAME);
    if (state->package[0])
        tch_buf_addf(&name, "%s.", state->package);
    tch_buf_add(&name, words[0].p + 9, words[0].len - 9);
    r = tch_import_bench_named(in, &name, true);
    tch_buf_release(&name);
    for (size_t i = 2; i < n; i += 2) {
        struct tch_import_metric m;
        char text[TCH_GO_UNIT_TEXT];
        double value = NAN;
        double scale = metric_of(words[i + 1], state, text, &m);

        (void)tch_parse_f64_n(words[i].p, words[i].len, &value);
        tch_import_value(in, r, &m, 0, value * scale);
    }
}

static void add_unit(const struct tch_span *words, size_t n, struct tch_go_state *state)
{
    if (state->unit_count == TCH_GO_UNITS || words[1].len >= TCH_GO_UNIT_TEXT)
        return;
    memcpy(state->units[state->unit_count].name, words[1].p, words[1].len);
    state->units[state->unit_count].name[words[1].len] = '\0';
    for (size_t i = 2; i < n; i++) {
        if (tch_span_is(words[i], "better=higher"))
            state->units[state->unit_count].better = TCH_BETTER_HIGHER;
        if (tch_span_is(words[i], "better=lower"))
            state->units[state->unit_count].better = TCH_BETTER_LOWER;
        if (tch_span_is(words[i], "assume=exact"))
            state->units[state->unit_count].exact = true;
    }
    state->unit_count++;
}

void tch_go_line(struct tch_import_input *in, struct tch_span line, struct tch_go_state *state)
{
    struct tch_span words[WORDS_MOST];
    size_t n = tch_import_words(line, words, WORDS_MOST);

    if (is_result(words, n)) {
        add_result(in, words, n, state);
    } else if (n == 2 && tch_span_is(words[0], "pkg:")) {
        snprintf(state->package, sizeof state->package, "%.*s",
                 (int)(words[1].len < 500 ? words[1].len : 500), words[1].p);
    } else if (n >= 2 && tch_span_is(words[0], "cpu:") && !in->machine) {
        struct tch_span cpu = {words[1].p, line.len - (size_t)(words[1].p - line.p)};
        struct tch_json_node node = {
            .type = TCH_JSON_STRING, .text = cpu.p, .len = (uint32_t)cpu.len};

        tch_import_machine(in, &node, NAN);
    } else if (n >= 3 && tch_span_is(words[0], "Unit")) {
        add_unit(words, n, state);
    }
}
