/* Compares the counts of two runs before they are judged. */
#include <string.h>

#include "run_compare.h"

enum { PARTS_NAMED = 3, STACKS_TEXT = 4096 };

bool tch_counted(const struct tch_result *r, const struct tch_metric *q)
{
    return q->source == TCH_FROM_COUNTS && r->counts.of[q->number].values.n > 0;
}

bool tch_compare_stacks(struct tch_findings *f, const struct tch_about *about,
                        const struct tch_count *a, const struct tch_count *b)
{
    struct tch_buf text;
    bool found;

    tch_buf_init(&text, STACKS_TEXT);
    tch_count_add_stacks(&text, a, b);
    if (text.len > 0)
        tch_findings_note(f, "%s%s%s: %s", about->bench, about->bench[0] ? ": " : "",
                          about->metric.title, text.data);
    found = text.len > 0;
    tch_buf_release(&text);
    return found;
}

void tch_describe_count(struct tch_about *about, const struct tch_result *r)
{
    struct tch_buf text;

    if (about->metric.source != TCH_FROM_COUNTS)
        return;
    tch_buf_init_on(&text, about->counted_by, sizeof about->counted_by,
                    sizeof about->counted_by - 1);
    tch_count_add_source(&text, &r->counts.of[about->metric.number], tch_result_wall(r));
    tch_buf_release(&text);
}

bool tch_compare_count(struct tch_findings *f, struct tch_about *about, const struct tch_count *a,
                       const struct tch_result *r)
{
    const struct tch_count *b = &r->counts.of[about->metric.number];
    const char *bench = about->bench;
    struct tch_buf detail;
    bool stacks = false; /* a note names them, and their calls */

    tch_describe_count(about, r);
    about->exact = tch_count_exact(b) && (!a || tch_count_exact(a));
    about->paired = false;
    if (!a || a->values.n == 0 || b->values.n == 0)
        return true;
    if (strcmp(a->key, b->key) != 0) {
        tch_findings_unjudged(f, bench, about->ask == TCH_ASK_NOTHING ? NULL : about->metric.title,
                              "%s%s%s cannot be compared: counted with %s before, with %s now",
                              bench, bench[0] ? ": " : "", about->metric.title, a->key, b->key);
        return false;
    }
    tch_buf_init_on(&detail, about->detail, sizeof about->detail, sizeof about->detail - 1);
    tch_count_add_difference(&detail, a, b, PARTS_NAMED);
    tch_buf_release(&detail);
    if (about->exact && a->values.v[0] != b->values.v[0])
        stacks = tch_compare_stacks(f, about, a, b);
    if (about->ask == TCH_ASK_NOTHING && about->detail[0] && !stacks)
        tch_findings_note(f, "%s%s%s: %s", bench, bench[0] ? ": " : "", about->metric.title,
                          about->detail);
    return true;
}

void tch_compare_count_missing(struct tch_findings *f, const char *bench,
                               const struct tch_metric *q, const struct tch_result *r)
{
    const struct tch_count *c = &r->counts.of[q->number];

    tch_findings_unjudged(f, bench, q->title, "%s%s%s cannot be judged: %s", bench,
                          bench[0] ? ": " : "", q->title,
                          c->why_not[0] ? c->why_not : "the run did not count them (--count)");
}
