/* Prints verdicts on the terminal. */
#include "verdict_view.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/core/cmd.h"
#include "cli/core/table.h"
#include "cli/core/text.h"
#include "kit/report/verdict_formats.h"
#include "kit/text/human_number.h"

enum { OUT_MAX = 64 << 20, SHOWN_DIFFERENCES = 12, SHOWN_VALUE = 40, PLOT = 25, PLOT_FROM = 120 };

static enum paint verdict_paint(enum tch_verdict verdict)
{
    static const enum paint paints[] = {[TCH_NO_VERDICT] = PLAIN,
                                        [TCH_PASS] = GREEN,
                                        [TCH_INCONCLUSIVE] = YELLOW,
                                        [TCH_WARN] = YELLOW,
                                        [TCH_FAIL] = RED};

    return paints[verdict];
}

/* Adds a cell of at most a third of the line. */
static void add_cut_cell(struct table *t, const struct term *term, const char *value)
{
    size_t third = term->width / 3;
    size_t most = third > 0 && third < SHOWN_VALUE ? third : SHOWN_VALUE;

    if (value)
        cli_add_cut(cli_table_cell(t, PLAIN), value, strlen(value), most, term->utf8);
    else
        cli_table_add(t, DIM, "(none)");
}

static void add_differences(struct tch_buf *b, const struct term *term,
                            const struct tch_findings *f)
{
    static const struct column columns[] = {
        {.title = "what differs", .fit = FIT_WRAP}, {.title = "A"}, {.title = "B"}};
    struct table t;

    if (f->difference_count == 0)
        return;
    cli_table_init(&t, term, columns, 3);
    for (size_t i = 0; i < f->difference_count && i < SHOWN_DIFFERENCES; i++) {
        cli_table_add(&t, PLAIN, f->differences[i].path);
        add_cut_cell(&t, term, f->differences[i].a);
        add_cut_cell(&t, term, f->differences[i].b);
    }
    cli_table_print(&t, b);
    cli_table_release(&t);
    if (f->difference_count > SHOWN_DIFFERENCES)
        tch_buf_addf(b, "... and %zu more; --json has them all\n",
                     f->difference_count - SHOWN_DIFFERENCES);
    tch_buf_addc(b, '\n');
}

/* --- The picture: intervals of all rows on one scale, with "no change" in the middle --- */

static double plot_range(const struct tch_findings *f)
{
    double range = log(1.02);

    for (size_t i = 0; i < f->count; i++) {
        const struct tch_verdict_row *r = &f->rows[i];

        if (r->has_ratio && r->ratio.level > 0 && f->about[i].ask != TCH_ASK_MAX)
            range = fmax(range, fmax(fabs(log(r->ratio.low)), fabs(log(r->ratio.high))));
    }
    return fmin(range, log(2));
}

static size_t plot_place(double ratio, double range)
{
    double x = (log(ratio) / range + 1) / 2 * (PLOT - 1);

    return x <= 0 ? 0 : x >= PLOT - 1 ? PLOT - 1 : (size_t)(x + 0.5);
}

static void add_plot(struct tch_buf *b, const struct term *term, const struct tch_findings *f,
                     size_t row, double range)
{
    static const char *const fine[] = {" ", "\u2500", "\u25cf", "\u2502", "\u2506"};
    static const char *const plain[] = {" ", "-", "o", "|", ":"};
    const char *const *set = term->utf8 ? fine : plain;
    const struct tch_verdict_row *r = &f->rows[row];
    const struct tch_budget *budget = &f->about[row].budget;
    size_t low = plot_place(r->ratio.low, range);
    size_t high = plot_place(r->ratio.high, range);
    size_t bound = PLOT;
    size_t other = PLOT;
    double least;
    double most;

    if (!r->has_ratio || r->ratio.level == 0 || f->about[row].ask == TCH_ASK_MAX)
        return;
    if (f->about[row].ask == TCH_ASK_RATIO && budget->tolerance > 0) {
        tch_budget_bounds(budget, &least, &most);
        bound = plot_place(isnan(least) ? most : least, range);
        other = plot_place(isnan(most) ? least : most, range);
    }
    for (size_t i = 0; i < PLOT; i++)
        tch_buf_adds(b, i == plot_place(r->ratio.estimate, range) ? set[2]
                        : i >= low && i <= high                   ? set[1]
                        : i == PLOT / 2                           ? set[3]
                        : i == bound || i == other                ? set[4]
                                                                  : set[0]);
}

/* --- The table --- */

/* Returns whether there is room for more than the numbers. */
static bool has_room(const struct term *term)
{
    return term->width == 0 || term->width >= PLOT_FROM;
}

static void add_change_cells(struct table *t, const struct tch_findings *f, size_t i, double range)
{
    const struct tch_verdict_row *r = &f->rows[i];
    enum paint paint = verdict_paint(r->verdict);
    bool change = f->about[i].ask != TCH_ASK_MAX;
    bool ratio = r->has_ratio && change;
    struct tch_buf *cell;

    if (ratio)
        tch_add_row_change(cli_table_cell(t, paint), r);
    else
        cli_table_add(t, DIM, "-");
    cell = cli_table_cell(t, r->ratio.level > 0 ? PLAIN : DIM);
    if (ratio || (change && r->exact)) /* an exact count of 0 has no ratio */
        tch_add_change_interval(cell, r, " .. ");
    if (range > 0)
        add_plot(cli_table_cell(t, PLAIN), t->term, f, i, range);
    if (ratio)
        cli_table_addf(t, PLAIN, "%.2f", r->ratio.effect);
    else
        cli_table_add(t, PLAIN, "");
}

static void add_row(struct table *t, const struct tch_findings *f, size_t i, bool benches,
                    double range)
{
    const struct tch_about *about = &f->about[i];
    const struct tch_verdict_row *r = &f->rows[i];
    struct tch_buf *cell;

    if (benches)
        cli_table_add(t, PLAIN,
                      !f->set && i > 0 && strcmp(f->about[i - 1].bench, about->bench) == 0
                          ? ""
                          : about->bench);
    tch_add_metric_title(cli_table_cell(t, PLAIN), f, i);
    tch_add_row_value(cli_table_cell(t, PLAIN), f, i, r->a_median);
    tch_add_row_value(cli_table_cell(t, PLAIN), f, i, r->b_median);
    add_change_cells(t, f, i, range);
    cell = cli_table_cell(t, verdict_paint(r->verdict));
    tch_buf_adds(cell, tch_row_word(f, i));
    if (has_room(t->term))
        tch_add_at_most(cell, f, i);
    if (r->advised > 0 && has_room(t->term))
        tch_buf_addf(cell, ", %llu runs advised", (unsigned long long)r->advised);
}

static bool has_benches(const struct tch_findings *f)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->about[i].bench[0])
            return true;
    return false;
}

/* Adds the table. Leaves out the picture if there is no room for it; range is 0 then. */
static void add_table(struct tch_buf *b, const struct term *term, const struct tch_findings *f)
{
    static const struct column all[] = {
        {.title = "bench"},
        {.title = "metric", .fit = FIT_WRAP},
        {.title = "A", .right = true},
        {.title = "B", .right = true},
        {.title = "change", .right = true},
        {.title = "interval", .keep = KEEP_IF_ROOM},
        {.title = "less        0        more"},
        {.title = "B > A", .right = true, .keep = KEEP_IF_NAMES_FIT},
        {.title = ""},
    };
    enum { ALL = sizeof all / sizeof all[0], INTERVAL = 5, PICTURE = 6 };
    bool benches = has_benches(f);
    bool picture = has_room(term);
    struct column columns[ALL];
    char interval[32];
    size_t count = 0;
    struct table t;

    snprintf(interval, sizeof interval, "%.3g %% interval", 100 * (1 - f->alpha));
    for (size_t i = benches ? 0 : 1; i < ALL; i++)
        if (i != PICTURE || picture)
            columns[count++] = all[i];
    columns[INTERVAL - !benches].title = interval;
    cli_table_init(&t, term, columns, count);
    for (size_t i = 0; i < tch_rows_shown(f); i++)
        add_row(&t, f, i, benches, picture ? plot_range(f) : 0);
    cli_table_print(&t, b);
    cli_table_release(&t);
    if (tch_rows_shown(f) < f->count)
        tch_buf_addf(b, "... and %zu more rows; --rows 0 prints all, --changed what changed\n",
                     f->count - tch_rows_shown(f));
}

/* --- Sets --- */

enum { SHOWN_NAMES = 10 };

static void add_only(struct tch_buf *b, const struct term *term, const char *label,
                     char *const *names, size_t count)
{
    struct tch_buf text;

    if (count == 0)
        return;
    tch_buf_init_part(&text, b);
    for (size_t i = 0; i < count && i < SHOWN_NAMES; i++)
        tch_buf_addf(&text, "%s%s", i > 0 ? ", " : "", names[i]);
    if (count > SHOWN_NAMES)
        tch_buf_addf(&text, " and %zu more; --json has them all", count - SHOWN_NAMES);
    cli_add_labelled(b, term, PLAIN, label, text.data);
    tch_buf_release(&text);
}

static void add_set(struct tch_buf *b, const struct term *term, const struct tch_findings *f)
{
    const struct tch_set_summary *s = f->set;
    struct tch_buf text;

    tch_buf_addc(b, '\n');
    tch_buf_init_part(&text, b);
    tch_add_set_summary(&text, f);
    cli_add_labelled(b, term, PLAIN, "", text.data);
    for (size_t i = 0; i < s->mean_count; i++) {
        tch_buf_clear(&text);
        tch_add_set_mean(&text, &s->means[i]);
        cli_add_labelled(b, term, PLAIN, "  ", text.data);
    }
    tch_buf_release(&text);
    add_only(b, term, "only in A: ", s->only_a, s->only_a_count);
    add_only(b, term, "only in B: ", s->only_b, s->only_b_count);
}

void cli_add_findings(struct tch_buf *b, const struct term *term, const struct tch_findings *f)
{
    const char *word = tch_findings_word(f);
    struct tch_buf text;
    struct tch_buf line;

    b->failed |= f->lost; /* a sentence is missing */
    for (size_t i = 0; i < f->note_count; i++)
        cli_add_labelled(b, term, YELLOW, "note: ", f->notes[i].text);
    if (f->note_count > 0)
        tch_buf_addc(b, '\n');
    add_differences(b, term, f);
    if (f->a_name && f->b_name && f->count > 0) {
        cli_add_labelled(b, term, PLAIN, "A: ", f->a_name);
        cli_add_labelled(b, term, PLAIN, "B: ", f->b_name);
        tch_buf_addc(b, '\n');
    }
    if (f->count > 0)
        add_table(b, term, f);
    tch_buf_init_part(&text, b);
    tch_buf_init_part(&line, b);
    for (size_t i = 0; i < tch_rows_shown(f); i++) {
        if (!f->rows[i].why[0])
            continue;
        tch_buf_clear(&text);
        tch_add_sentence(&text, f, i);
        cli_add_labelled(b, term, PLAIN, "  ", text.data);
    }
    for (size_t i = 0; i < tch_rows_shown(f); i++) {
        if (!f->about[i].counted_by[0])
            continue;
        tch_buf_clear(&text);
        tch_add_row_title(&text, f, i);
        tch_buf_addf(&text, ": counted by %s", f->about[i].counted_by);
        cli_add_labelled(b, term, PLAIN, "  ", text.data);
    }
    for (size_t i = 0; i < tch_rows_shown(f) && !has_room(term); i++) {
        tch_buf_clear(&text);
        tch_add_at_most(&text, f, i);
        if (f->rows[i].advised > 0)
            tch_buf_addf(&text, ", %llu runs advised", (unsigned long long)f->rows[i].advised);
        if (text.len == 0)
            continue;
        tch_buf_clear(&line);
        tch_add_row_title(&line, f, i);
        tch_buf_addf(&line, ": %s", text.data + 2);
        cli_add_labelled(b, term, PLAIN, "  ", line.data);
    }
    tch_buf_clear(&text);
    tch_add_contradictions(&text, f);
    if (text.len > 0)
        cli_add_labelled(b, term, PLAIN, "  ", text.data);
    tch_buf_release(&line);
    tch_buf_release(&text);
    if (f->set)
        add_set(b, term, f);
    if (word) {
        tch_buf_adds(b, f->count > 0 ? "\n" : "");
        cli_add_painted(b, term, f->problem_count > 0 ? RED : verdict_paint(f->verdict), word);
        if (f->dirty[0] && f->verdict == TCH_PASS && f->problem_count == 0)
            tch_buf_addf(b, ", of files that differ from commit %s", f->dirty);
        tch_buf_addc(b, '\n');
    }
}

int cli_print_findings(const struct tch_verdict_format *format, const struct tch_findings *f)
{
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    format->write(&b, f);
    b.failed |= f->lost;
    return cli_print(&b);
}

int cli_check_output(const char *path)
{
    struct tch_replace r;
    struct stat st;
    tacho_error err;

    if (!path || strcmp(path, "-") == 0)
        return EXIT_OK;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        return EXIT_OK; /* opening a pipe could wait for its reader */
    if (tch_mkdirs_above(path, &err) < 0 || tch_replace_open(&r, path, &err) < 0) {
        cli_complain(NULL, "%s; nothing was run", err.message);
        return EXIT_WORK;
    }
    tch_replace_abort(&r);
    return EXIT_OK;
}

int cli_findings_status(const struct tch_findings *f, bool warn_fails)
{
    if (f->verdict == TCH_FAIL)
        return EXIT_CHECK;
    return warn_fails && f->verdict > TCH_PASS ? EXIT_WARN : EXIT_OK;
}
