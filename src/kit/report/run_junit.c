/* JUnit XML, for CI pages: one test case a run folder, failed when one of its runs failed. */
#include "base/human_number.h"
#include "base/xml.h"
#include "report.h"

static size_t count_failed(const struct tch_run_samples *samples)
{
    size_t failed = 0;

    for (size_t i = 0; i < samples->count; i++)
        failed += !tch_run_sample_ok(&samples->items[i]);
    return failed;
}

static double seconds(const struct tch_receipt *r)
{
    return r->rows.count > 0 ? r->rows.row[0].summary.median / 1e9 : 0;
}

static void add_case(struct tch_buf *b, const struct tch_receipt *r)
{
    size_t failed = count_failed(&r->samples);

    tch_buf_adds(b, "  <testcase classname=\"tacho.run\" name=\"");
    tch_xml_adds(b, r->name);
    tch_buf_addf(b, "\" time=\"%.9f\">\n", seconds(r));
    if (failed > 0 || strcmp(r->state, "failed") == 0)
        tch_buf_addf(b, "    <failure message=\"%zu of %zu runs failed\"/>\n", failed,
                     r->samples.count);
    tch_buf_adds(b, "    <system-out>");
    for (size_t i = 0; i < r->rows.count; i++) {
        const struct tch_run_row *row = &r->rows.row[i];

        tch_xml_adds(b, row->title);
        tch_buf_adds(b, ": ");
        tch_add_value(b, row->unit, row->summary.median);
        tch_buf_addc(b, '\n');
    }
    for (size_t i = 0; i < r->warnings.count; i++) {
        tch_buf_adds(b, "warning: ");
        tch_xml_adds(b, r->warnings.item[i].text);
        tch_buf_addc(b, '\n');
    }
    tch_buf_adds(b, "</system-out>\n  </testcase>\n");
}

static int write_junit(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                       tacho_error *err)
{
    size_t failed = 0;

    (void)err;
    for (size_t i = 0; i < count; i++)
        failed += count_failed(&runs[i].receipt.samples) > 0 ||
                  strcmp(runs[i].receipt.state, "failed") == 0;
    tch_buf_adds(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    tch_buf_addf(b, "<testsuite name=\"tacho run\" tests=\"%zu\" failures=\"%zu\">\n", count,
                 failed);
    for (size_t i = 0; i < count; i++)
        add_case(b, &runs[i].receipt);
    tch_buf_adds(b, "</testsuite>\n");
    return 0;
}

const struct tch_report_format tch_report_junit = {"junit", NULL, write_junit};
