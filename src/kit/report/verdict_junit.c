/* Verdicts as JUnit XML: a test case a row; FAIL is a failure, INCONCLUSIVE is skipped. */
#include "base/xml.h"
#include "verdict_formats.h"

static void add_escaped(struct tch_buf *b, const struct tch_findings *f, size_t i,
                        void (*add)(struct tch_buf *b, const struct tch_findings *f, size_t i))
{
    struct tch_buf text;

    tch_buf_init(&text, 4096);
    add(&text, f, i);
    tch_xml_adds(b, text.data);
    tch_buf_release(&text);
}

static void add_case(struct tch_buf *b, const struct tch_findings *f, size_t i)
{
    enum tch_verdict verdict = f->rows[i].verdict;

    tch_buf_adds(b, "  <testcase classname=\"tacho.gate");
    if (f->about[i].bench[0])
        tch_buf_addc(b, '.');
    tch_xml_adds(b, f->about[i].bench);
    tch_buf_adds(b, "\" name=\"");
    add_escaped(b, f, i, tch_add_metric_title);
    tch_buf_adds(b, "\">\n");
    if (verdict == TCH_FAIL || verdict == TCH_INCONCLUSIVE) {
        tch_buf_addf(b, "    <%s message=\"", verdict == TCH_FAIL ? "failure" : "skipped");
        add_escaped(b, f, i, tch_add_sentence);
        tch_buf_adds(b, "\"/>\n");
    }
    tch_buf_adds(b, "    <system-out>");
    tch_buf_addf(b, "%s: ", tch_row_word(f, i));
    add_escaped(b, f, i, tch_add_sentence);
    tch_buf_adds(b, "</system-out>\n  </testcase>\n");
}

static void write_junit(struct tch_buf *b, const struct tch_findings *f)
{
    size_t count[TCH_FAIL + 1] = {0};

    for (size_t i = 0; i < f->count; i++)
        count[f->rows[i].verdict]++;
    tch_buf_adds(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    tch_buf_addf(b,
                 "<testsuite name=\"tacho gate\" tests=\"%zu\" failures=\"%zu\" skipped=\"%zu\">\n",
                 f->count - count[TCH_NO_VERDICT], count[TCH_FAIL], count[TCH_INCONCLUSIVE]);
    for (size_t i = 0; i < f->count; i++)
        if (f->about[i].ask != TCH_ASK_NOTHING)
            add_case(b, f, i);
    tch_buf_adds(b, "</testsuite>\n");
}

const struct tch_verdict_format tch_verdict_junit = {"junit", write_junit};
