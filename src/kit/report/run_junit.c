/* Runs as JUnit XML for CI pages: one test case per run folder, which fails if one of its runs
   did. */
#include "kit/text/human_number.h"
#include "report.h"
#include "report_text.h"

static size_t count_failed(const struct tch_result *r)
{
    size_t failed = 0;

    for (size_t i = 0; i < r->run_count; i++)
        failed += !tch_result_run_ok(&r->runs[i]);
    return failed;
}

static bool has_failed(const struct tch_result *r)
{
    return count_failed(r) > 0 || strcmp(r->state, "failed") == 0 || tch_report_nothing(r);
}

static void add_case(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_junit_case test = {
        .group = "tacho.run",
        .name = r->name,
        .seconds = r->row_count > 0 ? r->rows[0].summary.median / 1e9 : 0,
        .problem = has_failed(r) ? "failure" : NULL,
    };
    struct tch_buf output;
    char message[80];

    if (r->run_count > 0)
        snprintf(message, sizeof message, "%zu of %zu run%s failed", count_failed(r), r->run_count,
                 tch_plural(r->run_count));
    else
        snprintf(message, sizeof message, "%s", tch_report_nothing(r));
    tch_buf_init_part(&output, b);
    for (size_t i = 0; i < r->row_count; i++) {
        tch_buf_addf(&output, "%s: ", r->rows[i].metric.title);
        tch_add_value(&output, r->rows[i].metric.unit, r->rows[i].summary.median);
        tch_buf_addc(&output, '\n');
    }
    for (size_t i = 0; i < r->warnings.count; i++)
        tch_buf_addf(&output, "warning: %s\n", r->warnings.item[i].text);
    test.message = message;
    test.output = output.data;
    tch_junit_add(b, &test);
    tch_buf_release(&output);
}

static int write_junit(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                       tacho_error *err)
{
    size_t failed = 0;

    (void)err;
    for (size_t i = 0; i < count; i++)
        failed += has_failed(&runs[i].result);
    tch_junit_begin(b, "tacho run", count, failed, 0, SIZE_MAX);
    for (size_t i = 0; i < count; i++)
        add_case(b, &runs[i].result);
    tch_junit_end(b);
    return 0;
}

const struct tch_report_format tch_report_junit = {"junit", NULL, write_junit};
