/* Prints verdicts on the terminal. */
#include "verdict_view.h"

#include <math.h>
#include <sys/stat.h>

#include "base/file.h"
#include "cli/core/cmd.h"
#include "cli/core/table.h"
#include "cli/core/text.h"
#include "kit/report/verdict_formats.h"
#include "kit/report/verdict_table.h"
#include "kit/text/human_number.h"

enum { OUT_MAX = 64 << 20, SHOWN_DIFFERENCES = 12, SHOWN_VALUE = 40, PLOT = 25, PLOT_FROM = 120 };

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

static size_t plot_place(double ratio, double range)
{
    double x = (log(ratio) / range + 1) / 2 * (PLOT - 1);

    return x <= 0 ? 0 : x >= PLOT - 1 ? PLOT - 1 : (size_t)(x + 0.5);
}

static void add_plot(struct tch_buf *b, const void *ctx, const struct tch_findings *f, size_t row,
                     double range)
{
    static const char *const fine[] = {" ", "\u2500", "\u25cf", "\u2502", "\u2506"};
    static const char *const plain[] = {" ", "-", "o", "|", ":"};
    const struct term *term = ctx;
    const char *const *set = term->utf8 ? fine : plain;
    const struct tch_verdict_row *r = &f->rows[row];
    const struct tch_budget *budget = &f->about[row].budget;
    size_t low = plot_place(r->ratio.low, range);
    size_t high = plot_place(r->ratio.high, range);
    size_t bound = PLOT;
    size_t other = PLOT;
    double least;
    double most;

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

static void add_table(struct tch_buf *b, const struct term *term, const struct tch_findings *f)
{
    struct cli_text_table text;
    struct tch_verdict_table v;

    tch_verdict_table_init(&v, b, cli_text_form(&text, term, 0), f,
                           has_room(term) ? add_plot : NULL, term);
    for (size_t i = 0; i < tch_rows_shown(f); i++)
        tch_verdict_table_add(&v, i);
    tch_table_end(&v.t);
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
        cli_add_painted(
            b, term, f->problem_count > 0 ? RED : (enum paint)tch_verdict_tone(f->verdict), word);
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
