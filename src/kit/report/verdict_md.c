/* A comment on a pull request, one screen: the verdict, what changed, how to reproduce it. */
#include <math.h>

#include "kit/text/human_number.h"
#include "kit/text/markdown.h"
#include "report_text.h"
#include "verdict_formats.h"
#include "verdict_table.h"

enum { SHOWN = 30, SHOWN_DIFFERENCES = 12 };

/* Adds the table of the rows with these verdicts, at most SHOWN rows. */
static void add_rows(struct tch_buf *b, const struct tch_findings *f,
                     const enum tch_verdict *verdicts, size_t count)
{
    struct tch_verdict_table v;
    size_t left = SHOWN;

    tch_verdict_table_init(&v, b, tch_table_md, f, NULL, NULL);
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < f->count && left > 0; i++)
            if (f->rows[i].verdict == verdicts[k]) {
                tch_verdict_table_add(&v, i);
                left--;
            }
    tch_table_end(&v.t);
    tch_buf_adds(b, "\n");
}

static void add_fold(struct tch_buf *b, const struct tch_findings *f, size_t moved)
{
    static const enum tch_verdict quiet[] = {TCH_PASS, TCH_NO_VERDICT};
    size_t rest = f->count - moved;

    if (rest == 0)
        return;
    if (f->verdict == TCH_NO_VERDICT) {
        add_rows(b, f, quiet + 1, 1);
        if (rest > SHOWN)
            tch_buf_addf(b, "and %zu more.\n\n", rest - SHOWN);
        return;
    }
    tch_buf_addf(b, "<details><summary>%zu more within their budgets or without one</summary>\n\n",
                 rest);
    add_rows(b, f, quiet, 2);
    tch_buf_adds(b, "</details>\n\n");
}

static void add_differences(struct tch_buf *b, const struct tch_findings *f)
{
    if (f->difference_count == 0)
        return;
    tch_buf_addf(
        b,
        "<details><summary>%zu differences in command, environment and configuration</summary>\n\n",
        f->difference_count);
    for (size_t i = 0; i < f->difference_count && i < SHOWN_DIFFERENCES; i++) {
        const struct tch_difference *d = &f->differences[i];

        tch_buf_adds(b, "- ");
        tch_add_md_code(b, d->path);
        tch_buf_adds(b, ": ");
        tch_add_md_code(b, d->a ? d->a : "none");
        tch_buf_adds(b, " → ");
        tch_add_md_code(b, d->b ? d->b : "none");
        tch_buf_addc(b, '\n');
    }
    tch_buf_adds(b, "\n</details>\n\n");
}

static void add_quote(struct tch_buf *b, const char *before, const char *text, const char *after)
{
    tch_buf_addf(b, "> %s", before);
    tch_add_md_text(b, text);
    tch_buf_addf(b, "\n%s", after);
}

static void add_contradictions(struct tch_buf *b, const struct tch_findings *f)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_add_contradictions(&text, f);
    if (text.len > 0) {
        tch_add_md_text(b, text.data);
        tch_buf_adds(b, ".\n\n");
    }
    tch_buf_release(&text);
}

static void add_only(struct tch_buf *b, const char *which, char *const *names, size_t count)
{
    if (count == 0)
        return;
    tch_buf_addf(b, "<details><summary>%zu benchmark%s only in %s</summary>\n\n", count,
                 tch_plural(count), which);
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        tch_buf_adds(b, "- ");
        tch_add_md_code(b, names[i]);
        tch_buf_addc(b, '\n');
    }
    if (count > SHOWN)
        tch_buf_addf(b, "- and %zu more\n", count - SHOWN);
    tch_buf_adds(b, "\n</details>\n\n");
}

static void add_set(struct tch_buf *b, const struct tch_findings *f)
{
    const struct tch_set_summary *s = f->set;

    tch_add_set_summary(b, f);
    tch_buf_adds(b, ".\n\n");
    for (size_t i = 0; i < s->mean_count; i++) {
        tch_buf_adds(b, "- ");
        tch_add_set_mean(b, &s->means[i]);
        tch_buf_addc(b, '\n');
    }
    tch_buf_adds(b, "\n");
    add_only(b, "A", s->only_a, s->only_a_count);
    add_only(b, "B", s->only_b, s->only_b_count);
}

static void write_md(struct tch_buf *b, const struct tch_findings *f)
{
    const char *word = tch_findings_word(f);
    static const enum tch_verdict loud[] = {TCH_FAIL, TCH_WARN, TCH_INCONCLUSIVE};
    size_t moved = 0;

    for (size_t i = 0; i < f->count; i++)
        moved += f->rows[i].verdict >= TCH_INCONCLUSIVE;
    if (strcmp(f->mode, "compare") != 0) /* a workflow finds the comment to update by this */
        tch_buf_adds(b, "<!-- tacho gate -->\n");
    tch_buf_addf(
        b, "### %s tacho: %s\n\n",
        tch_verdict_mark(f->problem_count > 0 && f->verdict != TCH_FAIL ? TCH_WARN : f->verdict),
        word ? word : "compared");
    tch_add_md_text(b, f->b_name ? f->b_name : "now");
    tch_buf_adds(b, " against ");
    tch_add_md_text(b, f->a_name ? f->a_name : "before");
    tch_buf_adds(b, ". ");
    tch_add_promise(b, f);
    tch_buf_adds(b, "\n\n");
    for (size_t i = 0; i < f->problem_count; i++)
        add_quote(b, "**Not judged:** ", f->problems[i].text, "\n");
    for (size_t i = 0; i < f->note_count; i++)
        add_quote(b, "", f->notes[i].text, i + 1 < f->note_count ? ">\n" : "\n");
    if (f->set)
        add_set(b, f);
    if (moved > 0) {
        add_rows(b, f, loud, 3);
        if (moved > SHOWN)
            tch_buf_addf(b, "and %zu more.\n\n", moved - SHOWN);
    }
    add_fold(b, f, moved);
    add_contradictions(b, f);
    add_differences(b, f);
    if (f->reproduce) {
        tch_buf_adds(b, "To reproduce: ");
        tch_add_md_code(b, f->reproduce);
        tch_buf_addc(b, '\n');
    }
    if (f->link)
        tch_buf_addf(b, "\nFull report: %s\n", f->link);
}

const struct tch_verdict_format tch_verdict_md = {"md", write_md};
