/* Rows, differences and notes of a report. */
#include "findings.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/fingerprint.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "kit/text/human_number.h"
#include "set_compare.h"

enum { NOTES_MOST = 64, NOTE_TEXT = 2000, DIFFERENCES_MOST = 200, DOCUMENT_MAX = 64 << 20 };

static const struct {
    const char *name;
    double quantile;
} statistics[] = {{"median", 0.5}, {"p95", 0.95}, {"p99", 0.99}};

enum { STATISTICS = sizeof statistics / sizeof statistics[0] };

const char *tch_statistic_name(double quantile, char room[TCH_STATISTIC_TEXT])
{
    if (quantile == 0.5)
        return "median";
    snprintf(room, TCH_STATISTIC_TEXT, "p%.15g", 100 * quantile);
    return room;
}

bool tch_statistic_find(const char *name, double *quantile)
{
    for (size_t i = 0; i < STATISTICS; i++)
        if (strcmp(statistics[i].name, name) == 0) {
            *quantile = statistics[i].quantile;
            return true;
        }
    return false;
}

void tch_findings_init(struct tch_findings *f, const char *mode)
{
    *f = (struct tch_findings){
        .mode = mode, .alpha = TCH_ALPHA, .analyses = 1, .session_spread = NAN, .quantile = 0.5};
}

static void release_note(struct tch_note *n)
{
    free(n->text);
    free(n->bench);
    free(n->metric);
}

void tch_findings_clear_rows(struct tch_findings *f)
{
    size_t kept = 0;

    for (size_t i = 0; i < f->count; i++) {
        free((char *)f->about[i].bench);
        free((double *)f->rows[i].b); /* the same allocation contains a and the rounds */
    }
    f->count = 0;
    for (size_t i = 0; i < f->note_count; i++)
        if (f->notes[i].of_rows)
            release_note(&f->notes[i]);
        else
            f->notes[kept++] = f->notes[i];
    f->note_count = kept;
}

void tch_findings_bind_notes(struct tch_findings *f, size_t from)
{
    for (size_t i = from; i < f->note_count; i++)
        f->notes[i].of_rows = true;
}

static void release_reference(struct tch_reference *r)
{
    free(r->bench);
    free(r->at);
    free(r->commit);
}

void tch_findings_release(struct tch_findings *f)
{
    tch_findings_clear_rows(f);
    free(f->about);
    free(f->rows);
    for (size_t i = 0; i < f->difference_count; i++) {
        free(f->differences[i].path);
        free(f->differences[i].a);
        free(f->differences[i].b);
    }
    free(f->differences);
    for (size_t i = 0; i < f->note_count; i++)
        release_note(&f->notes[i]);
    free(f->notes);
    for (size_t i = 0; i < f->problem_count; i++)
        release_note(&f->problems[i]);
    free(f->problems);
    for (size_t i = 0; i < f->reference_count; i++)
        release_reference(&f->references[i]);
    free(f->references);
    free(f->a_name);
    free(f->b_name);
    free(f->reproduce);
    free(f->link);
    tch_set_summary_free(f->set);
    *f = (struct tch_findings){0};
}

int tch_findings_add_reference(struct tch_findings *f, const struct tch_reference *reference,
                               tacho_error *err)
{
    struct tch_reference r = *reference;

    if (tch_array_extend(&f->references, f->reference_count) < 0)
        return tch_fail_memory(err);
    r.bench = strdup(reference->bench);
    r.at = strdup(reference->at);
    r.commit = strdup(reference->commit);
    if (!r.bench || !r.at || !r.commit) {
        release_reference(&r);
        return tch_fail_memory(err);
    }
    f->references[f->reference_count++] = r;
    return 0;
}

int tch_findings_set(char **slot, const char *text, tacho_error *err)
{
    char *made = strdup(text);

    if (!made)
        return tch_fail_memory(err);
    free(*slot);
    *slot = made;
    return 0;
}

/* Adds a sentence once. Returns false if memory runs out. */
static bool add_sentence(struct tch_note **list, size_t *count, const char *bench,
                         const char *metric, const char *fmt, va_list args)
{
    char text[NOTE_TEXT];
    struct tch_note note = {0};

    vsnprintf(text, sizeof text, fmt, args);
    for (size_t i = 0; i < *count; i++)
        if (strcmp((*list)[i].text, text) == 0)
            return true; /* already in the list */
    if (*count == NOTES_MOST)
        return true;
    note.text = strdup(text);
    if (metric) {
        note.bench = strdup(bench);
        note.metric = strdup(metric);
    }
    if (!note.text || (metric && (!note.bench || !note.metric)) ||
        tch_array_extend(list, *count) < 0) {
        release_note(&note);
        return false;
    }
    (*list)[(*count)++] = note;
    return true;
}

void tch_findings_note(struct tch_findings *f, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    f->lost |= !add_sentence(&f->notes, &f->note_count, NULL, NULL, fmt, args);
    va_end(args);
}

void tch_findings_problem(struct tch_findings *f, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    f->lost |= !add_sentence(&f->problems, &f->problem_count, NULL, NULL, fmt, args);
    va_end(args);
}

void tch_findings_unjudged(struct tch_findings *f, const char *bench, const char *metric,
                           const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    f->lost |= !add_sentence(&f->notes, &f->note_count, bench, metric, fmt, args);
    va_end(args);
}

void tch_findings_doubt(struct tch_findings *f)
{
    for (size_t i = 0; i < f->note_count; i++)
        if (f->verdict == TCH_PASS && f->notes[i].bench)
            f->verdict = TCH_WARN;
}

const char *tch_findings_word(const struct tch_findings *f)
{
    bool is_gate = strcmp(f->mode, "compare") != 0;

    if (f->verdict == TCH_FAIL || (f->verdict != TCH_NO_VERDICT && f->problem_count == 0))
        return tch_verdict_names[f->verdict];
    return is_gate || f->problem_count > 0 ? "NOT JUDGED" : NULL;
}

bool tch_findings_has(const struct tch_findings *f, size_t from, const char *quantity)
{
    for (size_t i = from; i < f->count; i++)
        if (strcmp(f->about[i].metric.name, quantity) == 0)
            return true;
    return false;
}

int tch_findings_add(struct tch_findings *f, const struct tch_about *about, struct tch_series *a,
                     struct tch_series *b, tacho_error *err)
{
    double spread = isnan(f->session_spread) ? about->spread : f->session_spread;
    double *values; /* values of b, then of a, then the rounds of pairs */
    uint64_t *pair = NULL;
    char *bench;
    size_t m;

    if (a && about->paired)
        tch_series_match(a, b);
    m = a ? a->count : 0;
    values = malloc((m + 2 * b->count + 1) * sizeof *values);
    bench = strdup(about->bench);
    if (!values || !bench || tch_array_extend(&f->about, f->count) < 0 ||
        tch_array_extend(&f->rows, f->count) < 0) {
        free(values);
        free(bench);
        return tch_fail_memory(err);
    }
    if (b->count > 0)
        memcpy(values, b->value, b->count * sizeof *values);
    if (m > 0)
        memcpy(values + b->count, a->value, m * sizeof *values);
    if (about->paired && a && b->count > 0) {
        pair = (uint64_t *)(values + b->count + m);
        memcpy(pair, b->pair, b->count * sizeof *pair);
    }
    f->about[f->count] = *about;
    f->about[f->count].bench = bench;
    f->rows[f->count++] = (struct tch_verdict_row){
        .a = values + b->count,
        .a_count = m,
        .b = values,
        .b_count = b->count,
        .paired = about->paired && a,
        .pair = pair,
        .coins = about->coins > 0 ? about->coins : SIZE_MAX - f->count,
        .spread = about->paired ? 0 : spread,
        .obvious = about->paired ? 0 : about->obvious,
        .analyses = about->analyses,
        .budget = about->budget,
        .ask = about->ask,
        .exact = about->exact && b->count > 0 && (!a || m > 0),
    };
    return 0;
}

static int add_difference(const char *path, const char *a, const char *b, void *ctx)
{
    struct tch_findings *f = ctx;
    struct tch_difference *d;

    if (f->difference_count == DIFFERENCES_MOST)
        return 0;
    if (tch_array_extend(&f->differences, f->difference_count) < 0)
        return TACHO_ENOMEM;
    d = &f->differences[f->difference_count++];
    *d = (struct tch_difference){
        .path = strdup(path), .a = a ? strdup(a) : NULL, .b = b ? strdup(b) : NULL};
    return d->path && !a == !d->a && !b == !d->b ? 0 : TACHO_ENOMEM;
}

int tch_findings_diff(struct tch_findings *f, const char *a, size_t a_len, const char *b,
                      size_t b_len, tacho_error *err)
{
    int status = tacho_json_diff(a, a_len, b, b_len, add_difference, f, err);

    return status == TACHO_ENOMEM ? tch_fail_memory(err) : status;
}

/* Writes the members of run.json that describe how a run was made, without those that always
   differ, such as its name. */
static void write_setting(struct tch_buf *b, const struct tch_result *r)
{
    static const char *const members[] = {"machine_class", "environment", "commit",
                                          "config",        "labels",      "work",
                                          "plan",          "command",     "program_sha256"};

    tch_json_begin_object(b);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        tch_json_field_write(b, tch_json_field_find(tch_result_fields, members[i]), r);
    if (r->vcs.dirty == 1) /* the commit alone does not identify the program */
        tch_json_put_bool(b, "dirty", true);
    tch_json_end_object(b);
}

int tch_findings_differences(struct tch_findings *f, const struct tch_result *a,
                             const struct tch_result *b, tacho_error *err)
{
    struct tch_buf x;
    struct tch_buf y;
    int status;

    tch_buf_init(&x, DOCUMENT_MAX);
    tch_buf_init(&y, DOCUMENT_MAX);
    write_setting(&x, a);
    write_setting(&y, b);
    status = x.failed || y.failed ? tch_fail_memory(err)
                                  : tch_findings_diff(f, x.data, x.len, y.data, y.len, err);
    tch_buf_release(&x);
    tch_buf_release(&y);
    return status;
}

/* Warns of a row that became much better: a program that no longer does its work is fast. */
static void suspect(const struct tch_findings *f, size_t i)
{
    struct tch_verdict_row *r = &f->rows[i];
    bool is_time = f->about[i].metric.unit == TCH_NS;
    double times =
        f->about[i].budget.higher ? r->b_median / r->a_median : r->a_median / r->b_median;

    if (f->suspicious == 0 || r->ask != TCH_ASK_RATIO || r->a_count == 0 || r->b_count == 0 ||
        r->verdict > TCH_WARN || !(times > f->suspicious))
        return;
    /* Noise alone can move medians by such a factor. */
    if (r->verdict == TCH_INCONCLUSIVE && r->ratio.low <= 1 && r->ratio.high >= 1)
        return;
    r->verdict = TCH_WARN;
    r->advised = 0;
    if (isinf(times))
        snprintf(r->why, sizeof r->why, "%s: is the work still done?",
                 f->about[i].budget.higher ? "it was 0" : "it is 0");
    else
        snprintf(r->why, sizeof r->why, "%.*g times %s: is the work still done?",
                 tch_factor_digits(times), times,
                 is_time                     ? "as fast"
                 : f->about[i].budget.higher ? "more than before"
                                             : "less than before");
}

static bool all_equal(const double *value, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (value[i] != value[0])
            return false;
    return count > 1;
}

/* Warns of values that are all 0 or never vary: they may not be measured at all. tacho's own counts
   may be 0, and exact counts never vary, but times do neither. */
static void suspect_unmeasured(const struct tch_findings *f, size_t i)
{
    const struct tch_metric *q = &f->about[i].metric;
    struct tch_verdict_row *r = &f->rows[i];
    bool is_count = q->unit != TCH_NS && !q->asked && !r->budget.higher;

    if (f->suspicious == 0 || r->verdict != TCH_PASS || r->ask != TCH_ASK_RATIO ||
        !all_equal(r->b, r->b_count))
        return;
    if (r->b[0] == 0 && !is_count)
        snprintf(r->why, sizeof r->why,
                 "it is 0 in every run: is it measured? 'max' judges a count of 0");
    else if (q->unit == TCH_NS)
        snprintf(r->why, sizeof r->why, "it is the same in every run: is it measured?");
    else
        return;
    r->verdict = TCH_WARN;
}

/* Names the calls that differ. A count that varies between runs of one side was judged like a time;
   more timed runs do not help. */
static void explain_count(const struct tch_findings *f, size_t i)
{
    struct tch_verdict_row *r = &f->rows[i];
    const struct tch_about *about = &f->about[i];
    size_t len = strlen(r->why);

    if (about->metric.source != TCH_FROM_COUNTS || r->ask == TCH_ASK_NOTHING || r->b_count == 0)
        return;
    if (r->exact) {
        snprintf(r->why, sizeof r->why, "%s", about->detail);
        return;
    }
    r->runs_useless = true;
    r->advised = 0;
    snprintf(
        r->why + len, sizeof r->why - len,
        "%sit varies between counted runs, so it is judged like a time (--count-runs makes more)",
        len > 0 ? "; " : "");
}

int tch_findings_judge(struct tch_findings *f, double alpha, tacho_error *err)
{
    int status;

    f->alpha = alpha;
    status = tch_judge(f->rows, f->count, alpha, err);
    for (size_t i = 0; i < f->count && status == 0; i++)
        if (f->about[i].required && f->rows[i].b_count == 0) {
            f->rows[i].verdict = TCH_FAIL;
            f->rows[i].advised = 0; /* more runs would not help */
            snprintf(f->rows[i].why, sizeof f->rows[i].why, "it is required but was not measured");
        }
    for (size_t i = 0; i < f->count && status == 0; i++) {
        explain_count(f, i);
        suspect(f, i);
        suspect_unmeasured(f, i);
    }
    f->verdict = tch_judge_worst(f->rows, f->count);
    return status == 0 && f->lost ? tch_fail_memory(err) : status;
}

/* Formats shares as percent: "2.6", or "0.65 to 2.6". */
static void format_range(char *text, size_t size, double least, double most)
{
    int n = snprintf(text, size, "%.2g", 100 * least);

    if (most > least)
        snprintf(text + n, size - (size_t)n, " to %.2g", 100 * most);
}

void tch_findings_note_sessions(struct tch_findings *f, const char *interleave)
{
    double least = INFINITY;
    double most = 0;
    enum tch_ask asked = f->verdict != TCH_NO_VERDICT ? TCH_ASK_RATIO : TCH_ASK_NOTHING;
    char range[64];
    char reach[64];
    const struct tch_budget lower = {0}; /* treats every change as upwards */

    for (size_t i = 0; i < f->count; i++) {
        const struct tch_verdict_row *r = &f->rows[i];

        if (r->paired || r->exact || r->a_count == 0 || r->ask != asked)
            continue;
        least = fmin(least, r->spread);
        most = fmax(most, r->spread);
    }
    if (most == 0)
        return;
    format_range(range, sizeof range, least, most);
    format_range(reach, sizeof reach, tch_session_reach(&lower, least, f->alpha),
                 tch_session_reach(&lower, most, f->alpha));
    tch_findings_note(f,
                      "not interleaved: the verdicts allow for sessions that differ by %s %% "
                      "(--session-spread), so intervals are at least +-%s %%, however "
                      "many runs are made; if your sessions differ by more, a FAIL may be "
                      "due to the machine; interleaved runs have no such limit: %.200s",
                      range, reach, interleave);
}
