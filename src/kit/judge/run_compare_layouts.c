/* Adds notes about the layouts of the compared programs. */
#include <math.h>
#include <string.h>

#include "kit/result/layouts.h"
#include "run_compare.h"

#define LAYOUT_EFFECT 0.05 /* change of a time that a layout alone can cause: docs/layouts.md */

static void note_spread(struct tch_findings *f, const char *bench, const char *side,
                        const struct tch_result *r)
{
    struct tch_layout_spread spread;
    struct tch_buf text;

    tch_layout_spread(r, TCH_WALL, &spread);
    tch_buf_init(&text, 1024);
    tch_layout_spread_describe(&text, &spread);
    tch_findings_note(f, "%s%s%s: %s; judged over layouts, one value of each", bench,
                      bench[0] ? ", " : "", side, text.data);
    f->lost |= text.failed;
    tch_buf_release(&text);
}

/* Returns whether both are the same command, with programs whose bytes differ. */
static bool only_bytes_differ(const struct tch_result *a, const struct tch_result *b)
{
    char *const *x = a->command.argv;
    char *const *y = b->command.argv;
    size_t i = 1; /* the program is compared by its bytes */

    if (!a->program_sha256[0] || !b->program_sha256[0] ||
        strcmp(a->program_sha256, b->program_sha256) == 0 || !x || !x[0] || !y || !y[0])
        return false;
    while (x[i] && y[i] && strcmp(x[i], y[i]) == 0)
        i++;
    return !x[i] && !y[i];
}

/* Returns whether a time changed beyond its interval, but only a little. */
static bool is_small_change(const struct tch_verdict_row *r, const struct tch_metric *q)
{
    double change = r->ratio.estimate - 1;

    return q->unit == TCH_NS && r->ask != TCH_ASK_MAX && r->has_ratio &&
           (r->ratio.low > 1 || r->ratio.high < 1) && fabs(change) < LAYOUT_EFFECT;
}

void tch_compare_note_layouts(struct tch_findings *f, const char *bench, const struct tch_result *a,
                              const struct tch_result *b, size_t from, size_t count,
                              const char *how)
{
    if (tch_result_by_layout(b)) {
        if (a && tch_result_by_layout(a))
            note_spread(f, bench, "A", a);
        note_spread(f, bench, "B", b);
        return;
    }
    for (size_t i = from; i < from + count && (!a || only_bytes_differ(a, b)); i++)
        if (is_small_change(&f->rows[i], &f->about[i].metric)) {
            tch_findings_note(
                f,
                "%s%s%s changed by less than 5 %%, and another layout of the program's "
                "code alone can do that; to judge over layouts: %s",
                bench, bench[0] ? ": " : "", f->about[i].metric.title, how);
            return;
        }
}
