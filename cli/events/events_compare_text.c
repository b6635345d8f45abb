/* tacho events compare as text: the settings that differ, one table per group, and what only one
   file has. */
#include <inttypes.h>

#include "cli/core/table.h"
#include "cli/core/text.h"
#include "cmd_events_parts.h"
#include "kit/event/event_settings.h"
#include "kit/stats/session.h"
#include "kit/text/human_number.h"

enum { SHOWN_VALUE = 48 };

static const char letters[2] = {'A', 'B'};

struct settings_table {
    struct table table;
    const struct term *term;
    size_t count;
};

static void add_value(struct settings_table *s, const char *value)
{
    if (value)
        cli_add_cut(cli_table_cell(&s->table, PLAIN), value, strlen(value), SHOWN_VALUE,
                    s->term->utf8);
    else
        cli_table_add(&s->table, DIM, "(none)");
}

static void add_setting(void *ctx, const char *name, const char *a, const char *b)
{
    struct settings_table *s = ctx;

    s->count++;
    cli_table_add(&s->table, PLAIN, name);
    add_value(s, a);
    add_value(s, b);
}

static int add_settings(struct tch_buf *b, const struct tch_events_comparison *c,
                        const struct term *term, tacho_error *err)
{
    static const struct column columns[] = {{.title = "setting"}, {.title = "A"}, {.title = "B"}};
    struct settings_table s = {.term = term};
    int status;

    cli_table_init(&s.table, term, columns, 3);
    s.table.indent = 2;
    status = tch_compare_settings(&c->sides[0], &c->sides[1], add_setting, &s, err);
    if (s.count > 0) {
        cli_add_painted(b, term, BOLD, "Settings that differ");
        tch_buf_addc(b, '\n');
        cli_table_print(&s.table, b);
    } else {
        tch_buf_adds(b, "Both files have the same settings.\n");
    }
    for (size_t i = 0; i < 2; i++) {
        size_t kinds = c->sides[i].settings[TCH_SETTING_RUNTIME_FLAGS].count;

        if (kinds > 1)
            tch_buf_addf(b, "  %c has %zu different runtime_flags; only the first are compared\n",
                         letters[i], kinds);
    }
    cli_table_release(&s.table);
    return status;
}

static void add_amount(struct table *t, const struct tch_stage *stage, double value)
{
    if (stage->is_count || value < 0)
        cli_table_addf(t, PLAIN, "%.6g", value);
    else
        tch_add_value(cli_table_cell(t, PLAIN), TCH_NS, value * 1000);
}

static void add_pair(struct table *t, const struct tch_stage_pair *pair)
{
    const char *word = tch_stage_verdict(pair);
    enum paint paint = PLAIN;

    if (strcmp(word, "slower") == 0)
        paint = RED;
    else if (strcmp(word, "faster") == 0)
        paint = GREEN;
    cli_table_add(t, PLAIN, pair->a->name);
    cli_table_addf(t, PLAIN, "%" PRIu64, pair->a->count);
    cli_table_addf(t, PLAIN, "%" PRIu64, pair->b->count);
    add_amount(t, pair->a, pair->a_median);
    add_amount(t, pair->b, pair->b_median);
    if (pair->has_ratio)
        cli_table_addf(t, paint, "%.3f", pair->ratio.estimate);
    else
        cli_table_add(t, DIM, "-");
    if (pair->has_ratio && pair->ratio.level > 0)
        cli_table_addf(t, PLAIN, "%.3f to %.3f", pair->ratio.low, pair->ratio.high);
    else
        cli_table_add(t, DIM, pair->has_ratio ? "too few" : "has zeros");
    cli_table_addf(t, PLAIN, "%.2f", pair->effect);
    cli_table_addf(t, PLAIN, "%.2g", pair->p_adjusted);
    cli_table_add(t, paint, word);
}

static bool is_zero(const struct tch_stage *stage)
{
    return stage->sum == 0 && stage->max == 0;
}

static void add_group_name(struct tch_buf *b, const struct tch_stage_group *g, const char *by,
                           const struct term *term)
{
    cli_add_clean(b, g->event, term->utf8);
    if (by) {
        tch_buf_addc(b, ' ');
        cli_add_clean(b, by, term->utf8);
        tch_buf_addc(b, '=');
        cli_add_clean(b, g->by_len > 0 ? g->by : "(none)", term->utf8);
    }
}

/* Adds the table of the group that pair i belongs to. Returns the index of the first pair of the
   next group. */
static size_t add_group(struct tch_buf *b, const struct tch_events_comparison *c,
                        const struct term *term, size_t i)
{
    static const struct column columns[] = {
        {.title = "stage", .fit = FIT_CUT},   {.title = "n A", .right = true},
        {.title = "n B", .right = true},      {.title = "median A", .right = true},
        {.title = "median B", .right = true}, {.title = "B / A", .right = true},
        {.title = "95 % interval"},           {.title = "B > A", .right = true},
        {.title = "p", .right = true},        {.title = "B is"},
    };
    const struct tch_stage_group *g = c->result.pairs[i].a_group;
    const struct tch_stage_group *other = c->result.pairs[i].b_group;
    struct table t;
    size_t zero = 0;

    tch_buf_addc(b, '\n');
    add_group_name(b, g, c->sides[0].stages.by, term);
    tch_buf_addf(b, ": %" PRIu64 " events in A, %" PRIu64 " in B\n", g->events, other->events);
    cli_table_init(&t, term, columns, sizeof columns / sizeof columns[0]);
    t.indent = 2;
    for (; i < c->result.count && c->result.pairs[i].a_group == g; i++) {
        const struct tch_stage_pair *pair = &c->result.pairs[i];

        if (is_zero(pair->a) && is_zero(pair->b))
            zero++;
        else
            add_pair(&t, pair);
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
    if (zero > 0)
        tch_buf_addf(b, "  %zu stages are 0 in both and not shown; --json lists them\n", zero);
    return i;
}

/* Adds one line for a group that the other file lacks entirely, or else one line for each stage
   that it lacks. */
static void add_only_of(struct tch_buf *b, const struct tch_stage_group *g,
                        const struct tch_event_side *other, const struct term *term)
{
    bool whole = !tch_event_side_has(other, g, NULL);

    for (size_t i = 0; i < (whole ? 1 : g->count); i++) {
        if (!whole && tch_event_side_has(other, g, &g->stages[i]))
            continue;
        tch_buf_adds(b, "  ");
        add_group_name(b, g, other->stages.by, term);
        if (whole) {
            tch_buf_addf(b, " (%" PRIu64 " events)", g->events);
        } else {
            tch_buf_adds(b, ": ");
            cli_add_clean(b, g->stages[i].name, term->utf8);
        }
        tch_buf_addc(b, '\n');
    }
}

static void add_only(struct tch_buf *b, const struct tch_events_comparison *c,
                     const struct term *term, size_t in)
{
    const struct tch_stages *stages = &c->sides[in].stages;
    struct tch_buf list;

    tch_buf_init_part(&list, b);
    for (size_t i = 0; i < stages->count; i++)
        add_only_of(&list, &stages->groups[i], &c->sides[1 - in], term);
    if (list.len > 0) {
        tch_buf_addf(b, "\nOnly in %c:\n", letters[in]);
        tch_buf_add(b, list.data, list.len);
    }
    tch_buf_release(&list);
}

static bool is_sampled(const struct tch_events_comparison *c)
{
    for (size_t i = 0; i < c->result.count; i++)
        if (c->result.pairs[i].a->histogram || c->result.pairs[i].b->histogram)
            return true;
    return false;
}

int cli_events_compare_text(struct tch_buf *b, const struct tch_events_comparison *c,
                            const struct term *term, tacho_error *err)
{
    int status;

    for (size_t i = 0; i < 2; i++) {
        tch_buf_addf(b, "%c  ", letters[i]);
        cli_add_clean(b, c->paths[i], term->utf8);
        tch_buf_addf(b, ": %" PRIu64 " events\n", c->sides[i].events);
    }
    tch_buf_addc(b, '\n');
    status = add_settings(b, c, term, err);
    for (size_t i = 0; i < c->result.count;)
        i = add_group(b, c, term, i);
    add_only(b, c, term, 0);
    add_only(b, c, term, 1);
    if (c->result.tested > 0)
        tch_buf_addf(b,
                     "\np is adjusted for %zu comparison%s; above %.2g the difference may be "
                     "chance.\nIntervals allow for sessions that differ by %.2g %% and for values "
                     "that depend on the previous one.\n",
                     c->result.tested, tch_plural(c->result.tested), TCH_COMPARE_ALPHA,
                     100 * TCH_SESSION_SPREAD);
    if (is_sampled(c))
        tch_buf_addf(b, "Intervals use the first %d values of each stage.\n", TCH_STAGE_EXACT);
    return status;
}
