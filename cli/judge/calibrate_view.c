/* Prints a calibration on the terminal. */
#include <math.h>

#include "calibrate_parts.h"
#include "cli/core/table.h"
#include "cli/run/run_view.h"
#include "kit/text/human_number.h"

static const struct tch_calibration_occasion *newest(const struct calibrate *c)
{
    return &c->kept.occasions[c->kept.count - 1];
}

static void add_share(struct table *t, const char *format, double share)
{
    char text[32];

    snprintf(text, sizeof text, format, 100 * share);
    cli_table_add(t, PLAIN, text);
}

static void add_noise(struct tch_buf *b, const struct term *term, const struct calibrate *c)
{
    static const struct column columns[] = {
        {.title = "metric", .fit = FIT_WRAP}, {.title = "median", .right = true},
        {.title = "noise", .right = true},    {.title = "lag-1", .right = true},
        {.title = "drift", .right = true},    {.title = "sessions", .right = true}};
    struct table t;

    cli_table_init(&t, term, columns, 6);
    t.indent = 2;
    for (size_t i = 0; i < c->count; i++) {
        const struct tch_calibrated *m = &newest(c)->metrics[i];

        cli_table_add(&t, PLAIN, c->metrics[i].metric.title);
        tch_add_value(cli_table_cell(&t, PLAIN), c->metrics[i].metric.unit, m->median);
        add_share(&t, m->noise < 1 ? "%.2g %%" : "%.0f %%", m->noise);
        cli_table_addf(&t, PLAIN, "%.2f", m->lag1);
        add_share(&t, "%+.1f %%", m->drift);
        add_share(&t, "%.2g %%", m->session_spread);
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
}

/* Adds the table of smallest visible changes: one row per number of runs, one column per metric. */
static void add_sight(struct tch_buf *b, const struct term *term, const struct calibrate *c)
{
    struct column columns[TABLE_MAX_COLUMNS] = {{.title = "runs", .right = true},
                                                {.title = "time", .right = true}};
    size_t shown = c->count < TABLE_MAX_COLUMNS - 2 ? c->count : TABLE_MAX_COLUMNS - 2;
    double pair_ns = newest(c)->pair_seconds * 1e9;
    struct table t;

    for (size_t i = 0; i < shown; i++)
        columns[2 + i] = (struct column){.title = c->metrics[i].metric.title, .right = true};
    cli_table_init(&t, term, columns, 2 + shown);
    t.indent = 2;
    for (size_t k = 0; k < TCH_CALIBRATION_SIZES; k++) {
        cli_table_addf(&t, PLAIN, "%zu", tch_calibration_sizes[k]);
        tch_add_time_like(cli_table_cell(&t, PLAIN), (double)tch_calibration_sizes[k] * pair_ns,
                          (double)tch_calibration_sizes[TCH_CALIBRATION_SIZES - 1] * pair_ns);
        for (size_t i = 0; i < shown; i++) {
            double change = newest(c)->metrics[i].sees[k];

            if (isnan(change))
                cli_table_add(&t, DIM, "none");
            else
                add_share(&t,
                          change < 0.0005 ? "<0.1 %%"
                          : change < 1    ? "%.2g %%"
                                          : "%.0f %%",
                          change);
        }
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
}

static void add_head(struct tch_buf *b, const struct term *term, const struct calibrate *c)
{
    const struct tch_calibration_occasion *o = newest(c);
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_buf_addf(&text, "%llu pairs of '%s' against itself, ", (unsigned long long)o->pairs,
                 c->name);
    tch_add_value(&text, TCH_NS, o->pair_seconds * 1e9);
    tch_buf_adds(&text, " each");
    cli_add_labelled(b, term, BOLD, "calibrated: ", text.data);
    tch_buf_release(&text);
}

static void add_notes(struct tch_buf *b, const struct term *term, const struct calibrate *c)
{
    const struct tch_calibration_occasion *o = newest(c);
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    if (o->occasions > 1)
        tch_buf_addf(&text, "%llu occasions of this machine class are known",
                     (unsigned long long)o->occasions);
    else
        tch_buf_adds(&text, "this is the first occasion, so the session spread is assumed; "
                            "calibrate again on other days");
    cli_add_labelled(b, term, BOLD, "sessions:    ", text.data);
    tch_buf_release(&text);
}

void cli_add_calibration(struct tch_buf *b, const struct term *term, const struct calibrate *c,
                         bool quiet)
{
    if (c->made)
        cli_add_warnings(b, term, c->made);
    add_head(b, term, c);
    tch_buf_addc(b, '\n');
    add_noise(b, term, c);
    tch_buf_adds(b, "\nsmallest change beyond the tolerance that 'tacho gate' detects in 9 of 10 "
                    "reports:\n");
    add_sight(b, term, c);
    tch_buf_addc(b, '\n');
    add_notes(b, term, c);
    if (quiet)
        return;
    if (c->path[0])
        tch_buf_addf(b, "kept:   %s\n", c->path);
    tch_buf_addf(b, "report: %s\n", c->page);
}
