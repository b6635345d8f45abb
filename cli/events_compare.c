/* tacho events compare: two files side by side, what differs in how they were made coming first. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "event/compare.h"
#include "events.h"
#include "format.h"
#include "table.h"
#include "text.h"

enum { BY, EVENT };

enum { OUT_MAX = 64 << 20, SHOWN_BAD = 10, SHOWN_VALUE = 48 };

#define ALPHA 0.05

struct compare {
    struct args *args;
    const char *path; /* of the file at hand */
    uint64_t told;
    bool bad_lines;
    struct tch_side sides[2];
    struct tch_comparison result;
};

static void tell_bad(void *ctx, const tacho_error *why)
{
    struct compare *c = ctx;

    c->bad_lines = true;
    if (c->told++ < SHOWN_BAD)
        events_warn_bad((void *)c->path, why);
}

static int read_side(struct compare *c, size_t i)
{
    void *worker = &c->sides[i];
    const struct tch_scan scan = {
        .threads = 1, /* the first values of each stage are kept, in their order */
        .workers = &worker,
        .event = tch_side_add,
        .bad = tell_bad,
        .ctx = c,
    };
    struct tch_scan_counts counts;
    tacho_error err;
    int status;
    int fd;

    c->path = c->args->operands[i];
    c->told = 0;
    fd = events_open(c->path);
    if (fd < 0)
        return EXIT_WORK;
    status = tch_scan_fd(fd, c->path, &scan, &counts, &err);
    events_close(fd);
    if (status < 0) {
        complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    if (counts.bad > 0)
        warn("%s: %" PRIu64 " lines are no events and were left out; see 'tacho events validate'",
             c->path, counts.bad);
    return EXIT_OK;
}

/* What the numbers say about b. */
static const char *verdict(const struct tch_stage_pair *pair)
{
    bool more = pair->has_ratio ? pair->ratio.estimate > 1 : pair->b_median > pair->a_median;
    double a = tch_stage_total(pair->a) / (double)pair->a->count;
    double b = tch_stage_total(pair->b) / (double)pair->b->count;

    if (pair->p_adjusted > ALPHA)
        return "cannot tell";
    if (!pair->has_ratio && pair->a_median == pair->b_median)
        more = b > a; /* medians of values that are mostly 0 say nothing */
    if (pair->a->is_count)
        return more ? "more" : "fewer";
    return more ? "slower" : "faster";
}

/* Whether a stage, or with stage NULL a whole group, is in the other file as well. */
static bool is_in(const struct tch_side *side, const struct tch_stage_group *group,
                  const struct tch_stage *stage)
{
    const struct tch_stage_group *other = tch_stages_find(&side->stages, group);

    return other && (!stage || tch_stage_find(other, stage));
}

/* --- JSON --- */

static void json_text_or_null(struct tch_buf *b, const char *key, const char *text)
{
    tch_json_key(b, key);
    if (text)
        tch_json_text(b, text);
    else
        tch_json_null(b);
}

static void json_number(struct tch_buf *b, const char *key, double value)
{
    tch_json_key(b, key);
    tch_json_f64(b, value);
}

static void json_count(struct tch_buf *b, const char *key, uint64_t value)
{
    tch_json_key(b, key);
    tch_json_u64(b, value);
}

static void json_setting(void *ctx, const char *name, const char *x, const char *y)
{
    struct tch_buf *b = ctx;

    tch_json_begin_object(b);
    tch_json_key(b, "name");
    tch_json_text(b, name);
    json_text_or_null(b, "a", x);
    json_text_or_null(b, "b", y);
    tch_json_end_object(b);
}

static void json_event(struct tch_buf *b, const struct tch_stage_group *g, const char *by)
{
    tch_json_key(b, "event");
    tch_json_string(b, g->event, g->event_len);
    tch_json_key(b, "by");
    if (by)
        tch_json_string(b, g->by, g->by_len);
    else
        tch_json_null(b);
}

static void json_pair(struct tch_buf *b, const struct tch_stage_pair *pair, const char *by)
{
    tch_json_begin_object(b);
    json_event(b, pair->a_group, by);
    tch_json_key(b, "stage");
    tch_json_string(b, pair->a->name, pair->a->name_len);
    tch_json_key(b, "kind");
    tch_json_text(b, pair->a->is_count ? "count" : "time_us");
    json_count(b, "a_count", pair->a->count);
    json_count(b, "b_count", pair->b->count);
    json_number(b, "a_median", pair->a_median);
    json_number(b, "b_median", pair->b_median);
    tch_json_key(b, "ratio");
    if (pair->has_ratio) {
        tch_json_begin_object(b);
        json_number(b, "estimate", pair->ratio.estimate);
        json_number(b, "low", pair->ratio.level > 0 ? pair->ratio.low : NAN);
        json_number(b, "high", pair->ratio.level > 0 ? pair->ratio.high : NAN);
        json_number(b, "level", pair->ratio.level);
        tch_json_end_object(b);
    } else {
        tch_json_null(b);
    }
    json_number(b, "p", pair->p);
    json_number(b, "p_adjusted", pair->p_adjusted);
    tch_json_key(b, "verdict");
    tch_json_text(b, verdict(pair));
    tch_json_end_object(b);
}

static void json_only(struct tch_buf *b, const char *key, const struct tch_side *in,
                      const struct tch_side *not_in)
{
    tch_json_key(b, key);
    tch_json_begin_array(b);
    for (size_t i = 0; i < in->stages.count; i++) {
        const struct tch_stage_group *g = &in->stages.groups[i];

        for (size_t k = 0; k < g->count; k++) {
            if (is_in(not_in, g, &g->stages[k]))
                continue;
            tch_json_begin_object(b);
            json_event(b, g, in->stages.by);
            tch_json_key(b, "stage");
            tch_json_string(b, g->stages[k].name, g->stages[k].name_len);
            tch_json_end_object(b);
        }
    }
    tch_json_end_array(b);
}

static void json_side(struct tch_buf *b, const char *key, const char *path,
                      const struct tch_side *side)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    tch_json_key(b, "file");
    tch_json_text(b, path);
    json_count(b, "events", side->events);
    json_count(b, "kinds_of_runtime_flags", side->settings[TCH_SETTING_RUNTIME_FLAGS].count);
    tch_json_end_object(b);
}

static int add_json(struct tch_buf *b, const struct compare *c, tacho_error *err)
{
    const struct tch_side *x = &c->sides[0];
    const struct tch_side *y = &c->sides[1];
    int status;

    tch_json_begin_object(b);
    tch_json_key(b, "schema");
    tch_json_text(b, "tacho.events.compare.v1");
    json_side(b, "a", c->args->operands[0], x);
    json_side(b, "b", c->args->operands[1], y);
    tch_json_key(b, "settings");
    tch_json_begin_array(b);
    status = tch_compare_settings(x, y, json_setting, b, err);
    tch_json_end_array(b);
    tch_json_key(b, "stages");
    tch_json_begin_array(b);
    for (size_t i = 0; i < c->result.count; i++)
        json_pair(b, &c->result.pairs[i], x->stages.by);
    tch_json_end_array(b);
    json_only(b, "only_a", x, y);
    json_only(b, "only_b", y, x);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
    return status;
}

/* --- text --- */

struct settings_table {
    struct table table;
    const struct term *term;
    size_t count;
};

static void add_value(struct settings_table *s, const char *value)
{
    char mem[256];
    struct tch_buf b;

    tch_buf_init_on(&b, mem, sizeof mem, OUT_MAX);
    if (value)
        add_cut(&b, value, strlen(value), SHOWN_VALUE, s->term->utf8);
    table_add(&s->table, value ? PLAIN : DIM, value ? b.data : "(none)");
    tch_buf_release(&b);
}

static void add_setting(void *ctx, const char *name, const char *a, const char *b)
{
    struct settings_table *s = ctx;

    s->count++;
    table_add(&s->table, PLAIN, name);
    add_value(s, a);
    add_value(s, b);
}

static int add_settings(struct tch_buf *b, const struct compare *c, tacho_error *err)
{
    static const struct column columns[] = {{.title = "setting"}, {.title = "A"}, {.title = "B"}};
    struct settings_table s = {.term = &c->args->out};
    int status;

    table_init(&s.table, s.term, columns, 3);
    s.table.indent = 2;
    status = tch_compare_settings(&c->sides[0], &c->sides[1], add_setting, &s, err);
    if (s.count > 0) {
        add_painted(b, s.term, BOLD, "What they were made with differs");
        tch_buf_addc(b, '\n');
        table_print(&s.table, b);
    } else {
        tch_buf_adds(b, "Both were made with the same settings.\n");
    }
    for (size_t i = 0; i < 2; i++) {
        size_t kinds = c->sides[i].settings[TCH_SETTING_RUNTIME_FLAGS].count;

        if (kinds > 1)
            tch_buf_addf(b, "  %c has %zu kinds of runtime_flags; the first is compared\n",
                         i == 0 ? 'A' : 'B', kinds);
    }
    table_release(&s.table);
    return status;
}

static void add_amount(struct table *t, const struct tch_stage *stage, double value)
{
    char mem[64];
    struct tch_buf b;

    tch_buf_init_on(&b, mem, sizeof mem, sizeof mem - 1);
    if (stage->is_count || value < 0)
        tch_buf_addf(&b, "%.6g", value);
    else
        add_duration(&b, value * 1000);
    table_add(t, PLAIN, b.data);
}

static void add_pair(struct table *t, const struct tch_stage_pair *pair)
{
    const char *word = verdict(pair);
    enum paint paint = PLAIN;

    if (strcmp(word, "slower") == 0)
        paint = RED;
    else if (strcmp(word, "faster") == 0)
        paint = GREEN;
    table_add(t, PLAIN, pair->a->name);
    table_addf(t, PLAIN, "%" PRIu64, pair->a->count);
    table_addf(t, PLAIN, "%" PRIu64, pair->b->count);
    add_amount(t, pair->a, pair->a_median);
    add_amount(t, pair->b, pair->b_median);
    if (pair->has_ratio)
        table_addf(t, paint, "%.3f", pair->ratio.estimate);
    else
        table_add(t, DIM, "-");
    if (pair->has_ratio && pair->ratio.level > 0)
        table_addf(t, PLAIN, "%.3f to %.3f", pair->ratio.low, pair->ratio.high);
    else
        table_add(t, DIM, pair->has_ratio ? "too few" : "has zeros");
    table_addf(t, PLAIN, "%.2g", pair->p_adjusted);
    table_add(t, paint, word);
}

static bool is_zero(const struct tch_stage *stage)
{
    return stage->sum == 0 && stage->max == 0;
}

/* The pairs from i on that are of the same group; returns the first behind them. */
static size_t add_group(struct tch_buf *b, const struct compare *c, size_t i)
{
    static const struct column columns[] = {
        {.title = "stage", .fit = FIT_CUT},
        {.title = "n A", .right = true},
        {.title = "n B", .right = true},
        {.title = "median A", .right = true},
        {.title = "median B", .right = true},
        {.title = "B / A", .right = true},
        {.title = "95% interval"},
        {.title = "p", .right = true},
        {.title = "B is"},
    };
    const struct args *args = c->args;
    const struct tch_stage_group *g = c->result.pairs[i].a_group;
    const struct tch_stage_group *other = c->result.pairs[i].b_group;
    struct table t;
    size_t zero = 0;

    table_init(&t, &args->out, columns, sizeof columns / sizeof columns[0]);
    t.indent = 2;
    tch_buf_addc(b, '\n');
    add_clean(b, g->event, args->out.utf8);
    if (c->sides[0].stages.by) {
        tch_buf_addc(b, ' ');
        add_clean(b, c->sides[0].stages.by, args->out.utf8);
        tch_buf_addc(b, '=');
        add_clean(b, g->by_len > 0 ? g->by : "(none)", args->out.utf8);
    }
    tch_buf_addf(b, ": %" PRIu64 " events in A, %" PRIu64 " in B\n", g->events, other->events);
    for (; i < c->result.count && c->result.pairs[i].a_group == g; i++) {
        const struct tch_stage_pair *pair = &c->result.pairs[i];

        if (is_zero(pair->a) && is_zero(pair->b))
            zero++;
        else
            add_pair(&t, pair);
    }
    table_print(&t, b);
    table_release(&t);
    if (zero > 0)
        tch_buf_addf(b, "  %zu stages are 0 in both and not shown; --json has them\n", zero);
    return i;
}

static void add_only(struct tch_buf *b, const struct compare *c, size_t in)
{
    const struct tch_side *side = &c->sides[in];
    const struct tch_side *other = &c->sides[1 - in];
    bool some = false;

    for (size_t i = 0; i < side->stages.count; i++) {
        const struct tch_stage_group *g = &side->stages.groups[i];
        bool whole = !is_in(other, g, NULL);

        for (size_t k = 0; k < (whole ? 1 : g->count); k++) {
            if (!whole && is_in(other, g, &g->stages[k]))
                continue;
            if (!some)
                tch_buf_addf(b, "\nOnly in %c:\n", in == 0 ? 'A' : 'B');
            some = true;
            tch_buf_adds(b, "  ");
            add_clean(b, g->event, c->args->out.utf8);
            if (g->by_len > 0) {
                tch_buf_addc(b, ' ');
                add_clean(b, g->by, c->args->out.utf8);
            }
            if (whole) {
                tch_buf_addf(b, " (%" PRIu64 " events)", g->events);
            } else {
                tch_buf_adds(b, ": ");
                add_clean(b, g->stages[k].name, c->args->out.utf8);
            }
            tch_buf_addc(b, '\n');
        }
    }
}

static bool is_sampled(const struct compare *c)
{
    for (size_t i = 0; i < c->result.count; i++)
        if (c->result.pairs[i].a->histogram || c->result.pairs[i].b->histogram)
            return true;
    return false;
}

static int add_text(struct tch_buf *b, const struct compare *c, tacho_error *err)
{
    int status;

    for (size_t i = 0; i < 2; i++) {
        tch_buf_addf(b, "%c  ", i == 0 ? 'A' : 'B');
        add_clean(b, c->args->operands[i], c->args->out.utf8);
        tch_buf_addf(b, ": %" PRIu64 " events\n", c->sides[i].events);
    }
    tch_buf_addc(b, '\n');
    status = add_settings(b, c, err);
    for (size_t i = 0; i < c->result.count;)
        i = add_group(b, c, i);
    add_only(b, c, 0);
    add_only(b, c, 1);
    if (c->result.count > 0)
        tch_buf_addf(b, "\np is adjusted for %zu comparisons; above %.2g nobody can tell.\n",
                     c->result.count, ALPHA);
    if (is_sampled(c))
        tch_buf_addf(b, "Intervals are of the first %d values of each stage.\n", TCH_STAGE_EXACT);
    return status;
}

/* --- the command --- */

static int report(struct compare *c)
{
    struct tch_buf b;
    tacho_error err;
    int status;

    if (tch_compare_stages(&c->sides[0], &c->sides[1], &c->result, &err) < 0) {
        complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    tch_buf_init(&b, OUT_MAX);
    status = c->args->json ? add_json(&b, c, &err) : add_text(&b, c, &err);
    if (status < 0) {
        complain(NULL, "%s", err.message);
        tch_buf_release(&b);
        return EXIT_WORK;
    }
    if (put_out(&b) != EXIT_OK)
        return EXIT_WORK;
    return c->bad_lines ? EXIT_CHECK : EXIT_OK;
}

static int run_compare(struct args *args)
{
    struct compare *c = calloc(1, sizeof *c);
    const char *only = NULL;
    const char *by = NULL;
    const struct opt *opt;
    int status = EXIT_OK;

    if (!c) {
        complain(NULL, "out of memory");
        return EXIT_WORK;
    }
    while ((opt = next_opt(args))) {
        if (opt->id == BY)
            by = args->value;
        else
            only = args->value;
    }
    c->args = args;
    for (size_t i = 0; i < 2; i++)
        tch_side_init(&c->sides[i], only, by);
    for (size_t i = 0; i < 2 && status == EXIT_OK; i++)
        status = read_side(c, i);
    if (status == EXIT_OK)
        status = report(c);
    tch_comparison_release(&c->result);
    for (size_t i = 0; i < 2; i++)
        tch_side_release(&c->sides[i]);
    free(c);
    return status;
}

static const struct opt opts[] = {
    {.id = BY,
     .name = "by",
     .arg = "SHAPE_KEY",
     .help = "tell events apart by the value of this key of their shape"},
    {.id = EVENT, .name = "event", .arg = "E", .help = "only the events of this name"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "A", .help = "events of before; - is stdin", .complete = COMPLETE_FILE},
    {.name = "B", .help = "events of after; - is stdin", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a line is bad or torn; the others were compared"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho events compare --event unified_prof --by items before.jsonl after.jsonl",
     "The stages of one event, like with like."},
    {NULL, NULL},
};

const struct cmd cmd_events_compare = {
    .name = "compare",
    .summary = "two files side by side, stage by stage",
    .usage = "tacho events compare [--event E] [--by SHAPE_KEY] [--json] A B",
    .about = "First what the two were made with, where that differs: commit, model, environment "
             "and each runtime flag. Then each stage that both have: the medians, the ratio B / A "
             "with its 95 % interval, and whether the difference is more than chance. The ratio is "
             "the median of all ratios between a value of B and one of A (Hodges-Lehmann, on "
             "logarithms); p is that of the rank sum test, adjusted by Holm for the number of "
             "stages. Last what only one of them has.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_compare,
};
