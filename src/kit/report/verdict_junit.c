/* Verdicts as JUnit XML: one test case per row. FAIL is a failure. INCONCLUSIVE and a budget that
   could not be judged are skipped, because they alone do not fail the gate. */
#include <math.h>

#include "report_text.h"
#include "verdict_formats.h"

/* Returns the element that says how a row ended, or NULL if it passed. */
static const char *problem_of(const struct tch_findings *f, size_t i)
{
    enum tch_verdict verdict = f->rows[i].verdict;

    return verdict == TCH_FAIL                                  ? "failure"
           : verdict == TCH_INCONCLUSIVE || f->about[i].instead ? "skipped"
                                                                : NULL;
}

/* Returns whether a row has a budget, whether or not it could be judged. */
static bool is_case(const struct tch_findings *f, size_t i)
{
    return f->about[i].ask != TCH_ASK_NOTHING || f->about[i].instead;
}

/* Returns whether a note is about a budget that has no row. */
static bool is_case_without_row(const struct tch_note *note)
{
    return note->metric && note->metric[0];
}

static void add_case(struct tch_buf *b, const char *bench, const struct tch_junit_case *test)
{
    struct tch_junit_case grouped = *test;
    struct tch_buf group;

    tch_buf_init_part(&group, b);
    tch_buf_addf(&group, "tacho.gate%s%s", bench[0] ? "." : "", bench);
    grouped.group = group.data;
    tch_junit_add(b, &grouped);
    tch_buf_release(&group);
}

static void add_row(struct tch_buf *b, const struct tch_findings *f, size_t i)
{
    struct tch_buf name;
    struct tch_buf sentence;
    struct tch_buf output;

    tch_buf_init_part(&name, b);
    tch_buf_init_part(&sentence, b);
    tch_buf_init_part(&output, b);
    tch_add_metric_title(&name, f, i);
    if (f->about[i].instead)
        tch_buf_addf(&sentence, "%s: %s", name.data, f->about[i].instead);
    else
        tch_add_sentence(&sentence, f, i);
    if (!f->about[i].instead) {
        tch_buf_adds(&output, tch_row_word(f, i));
        tch_add_at_most(&output, f, i);
        tch_buf_adds(&output, ": ");
    }
    tch_buf_adds(&output, sentence.data);
    add_case(b, f->about[i].bench,
             &(struct tch_junit_case){.name = name.data,
                                      .seconds = NAN,
                                      .problem = problem_of(f, i),
                                      .message = sentence.data,
                                      .output = output.data});
    tch_buf_release(&name);
    tch_buf_release(&sentence);
    tch_buf_release(&output);
}

static void add_problems(struct tch_buf *b, const struct tch_findings *f)
{
    for (size_t i = 0; i < f->problem_count; i++) {
        char name[32];

        snprintf(name, sizeof name, "problem %zu", i + 1);
        add_case(b, "",
                 &(struct tch_junit_case){.name = name,
                                          .seconds = NAN,
                                          .problem = "error",
                                          .message = f->problems[i].text,
                                          .output = "NOT JUDGED"});
    }
}

static void add_notes(struct tch_buf *b, const struct tch_findings *f)
{
    for (size_t i = 0; i < f->note_count; i++)
        if (is_case_without_row(&f->notes[i]))
            add_case(b, f->notes[i].bench,
                     &(struct tch_junit_case){.name = f->notes[i].metric,
                                              .seconds = NAN,
                                              .problem = "skipped",
                                              .message = f->notes[i].text,
                                              .output = "not judged"});
}

static void write_junit(struct tch_buf *b, const struct tch_findings *f)
{
    size_t tests = f->problem_count;
    size_t failures = 0;
    size_t skipped = 0;

    for (size_t i = 0; i < f->count; i++)
        if (is_case(f, i)) {
            const char *problem = problem_of(f, i);

            tests++;
            failures += problem && strcmp(problem, "failure") == 0;
            skipped += problem && strcmp(problem, "skipped") == 0;
        }
    for (size_t i = 0; i < f->note_count; i++)
        if (is_case_without_row(&f->notes[i])) {
            tests++;
            skipped++;
        }
    tch_junit_begin(b, "tacho gate", tests, failures, f->problem_count, skipped);
    add_problems(b, f);
    for (size_t i = 0; i < f->count; i++)
        if (is_case(f, i))
            add_row(b, f, i);
    add_notes(b, f);
    tch_junit_end(b);
}

const struct tch_verdict_format tch_verdict_junit = {"junit", write_junit};
