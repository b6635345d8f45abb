/* Runs as Markdown, to paste into a pull request. */
#include <math.h>

#include "kit/text/human_number.h"
#include "kit/text/markdown.h"
#include "report.h"
#include "report_text.h"
#include "run_comparison.h"
#include "run_counts.h"
#include "run_statistics.h"

static void add_head(struct tch_buf *b, const struct tch_result *r)
{
    char commit[32];

    tch_result_commit(r, commit, sizeof commit);
    tch_buf_adds(b, "## ");
    tch_add_md_text(b, r->name);
    tch_buf_adds(b, "\n\n");
    tch_add_md_code(b, r->command.line);
    tch_buf_addf(b, "  \n%zu run%s, ", r->run_count, tch_plural(r->run_count));
    tch_add_md_text(b, r->started_at);
    tch_buf_adds(b, ", ");
    tch_add_md_text(b, r->state);
    tch_buf_adds(b, commit[0] ? ", commit " : "");
    tch_add_md_text(b, commit);
    tch_buf_adds(b, "\n\n");
    for (size_t i = 0; i < r->warnings.count; i++) {
        tch_buf_adds(b, "> **");
        tch_add_md_text(b, r->warnings.item[i].text);
        tch_buf_adds(b, "** (");
        tch_add_md_text(b, r->warnings.item[i].advice);
        tch_buf_adds(b, i + 1 < r->warnings.count ? ")\n>\n" : ")\n\n");
    }
}

/* Adds the origin of the energy, escaped, because reasons contain text of the system. */
static void add_energy(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_report_add_energy(&text, r);
    tch_add_md_text(b, text.data);
    tch_buf_release(&text);
}

static void add_run(struct tch_buf *b, const struct tch_result *r)
{
    static void (*const paragraphs[])(struct tch_buf * b, const struct tch_result *r) = {
        tch_report_add_latencies, add_energy, tch_report_add_layouts, tch_report_add_recording,
        tch_report_add_costs};

    add_head(b, r);
    if (tch_report_nothing(r)) {
        tch_buf_addf(b, "No statistics: %s.\n\n", tch_report_nothing(r));
        return;
    }
    tch_statistics_table(b, tch_table_md, r);
    tch_buf_addc(b, '\n');
    tch_counts_table(b, tch_table_md, r);
    tch_buf_adds(b, tch_report_has_counts(r) ? "\n" : "");
    for (size_t i = 0; i < sizeof paragraphs / sizeof paragraphs[0]; i++) {
        size_t before = b->len;

        paragraphs[i](b, r);
        tch_buf_adds(b, b->len > before ? "\n\n" : "");
    }
}

static int write_md(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                    tacho_error *err)
{
    struct tch_comparison all;
    int status = 0;

    for (size_t i = 0; i < count; i++)
        add_run(b, &runs[i].result);
    if (count > 1)
        status = tch_comparison_make(&all, runs, count, err);
    if (count < 2 || status < 0)
        return status;
    tch_buf_adds(b, "Fastest: ");
    tch_comparison_add_fastest(b, &all);
    tch_buf_adds(b, ".\n\n");
    for (size_t i = 0; i < count; i++) {
        if (i == all.fastest)
            continue;
        tch_comparison_add_sentence(b, &all, i);
        tch_buf_adds(b, ".\n\n");
    }
    return 0;
}

const struct tch_report_format tch_report_md = {"md", "report.md", write_md};
