/* Verdicts as JUnit XML: one test case per row; FAIL is a failure, INCONCLUSIVE is skipped. */
#include <math.h>

#include "report_text.h"
#include "verdict_formats.h"

enum { TEXT_MAX = 4096 };

static void add_case(struct tch_buf *b, const struct tch_findings *f, size_t i)
{
    enum tch_verdict verdict = f->rows[i].verdict;
    struct tch_buf group;
    struct tch_buf name;
    struct tch_buf sentence;
    struct tch_buf output;

    tch_buf_init(&group, TEXT_MAX);
    tch_buf_init(&name, TEXT_MAX);
    tch_buf_init(&sentence, TEXT_MAX);
    tch_buf_init(&output, 2 * TEXT_MAX);
    tch_buf_addf(&group, "tacho.gate%s%s", f->about[i].bench[0] ? "." : "", f->about[i].bench);
    tch_add_metric_title(&name, f, i);
    tch_add_sentence(&sentence, f, i);
    tch_buf_adds(&output, tch_row_word(f, i));
    tch_add_sight(&output, f, i);
    tch_buf_addf(&output, ": %s", sentence.data);
    tch_junit_add(b, &(struct tch_junit_case){.group = group.data,
                                              .name = name.data,
                                              .seconds = NAN,
                                              .problem = verdict == TCH_FAIL           ? "failure"
                                                         : verdict == TCH_INCONCLUSIVE ? "skipped"
                                                                                       : NULL,
                                              .message = sentence.data,
                                              .output = output.data});
    tch_buf_release(&group);
    tch_buf_release(&name);
    tch_buf_release(&sentence);
    tch_buf_release(&output);
}

static void write_junit(struct tch_buf *b, const struct tch_findings *f)
{
    size_t count[TCH_FAIL + 1] = {0};

    for (size_t i = 0; i < f->count; i++)
        count[f->rows[i].verdict]++;
    tch_junit_begin(b, "tacho gate", f->count - count[TCH_NO_VERDICT] + f->problem_count,
                    count[TCH_FAIL], f->problem_count, count[TCH_INCONCLUSIVE]);
    for (size_t i = 0; i < f->problem_count; i++) {
        char name[32];

        snprintf(name, sizeof name, "problem %zu", i + 1);
        tch_junit_add(b, &(struct tch_junit_case){.group = "tacho.gate",
                                                  .name = name,
                                                  .seconds = NAN,
                                                  .problem = "error",
                                                  .message = f->problems[i],
                                                  .output = "NOT JUDGED"});
    }
    for (size_t i = 0; i < f->count; i++)
        if (f->about[i].ask != TCH_ASK_NOTHING)
            add_case(b, f, i);
    tch_junit_end(b);
}

const struct tch_verdict_format tch_verdict_junit = {"junit", write_junit};
