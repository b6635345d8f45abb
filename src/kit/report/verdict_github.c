/* Writes workflow commands, which GitHub shows as annotations of a commit. */
#include "verdict_formats.h"

/* Adds text, escaped as GitHub's runner decodes it. */
static void add_data(struct tch_buf *b, const char *text)
{
    for (; *text; text++)
        if (*text == '%')
            tch_buf_adds(b, "%25");
        else if (*text == '\r')
            tch_buf_adds(b, "%0D");
        else if (*text == '\n')
            tch_buf_adds(b, "%0A");
        else
            tch_buf_addc(b, *text);
}

static void write_github(struct tch_buf *b, const struct tch_findings *f)
{
    for (size_t i = 0; i < f->problem_count; i++) {
        tch_buf_adds(b, "::error title=tacho NOT JUDGED::");
        add_data(b, f->problems[i].text);
        tch_buf_addc(b, '\n');
    }
    for (size_t i = 0; i < f->count; i++) {
        enum tch_verdict verdict = f->rows[i].verdict;
        struct tch_buf text;

        if (verdict <= TCH_PASS)
            continue;
        tch_buf_init_part(&text, b);
        tch_add_sentence(&text, f, i);
        tch_buf_addf(b, "::%s title=tacho %s::", verdict == TCH_FAIL ? "error" : "warning",
                     tch_verdict_names[verdict]);
        add_data(b, text.data);
        tch_buf_addc(b, '\n');
        tch_buf_release(&text);
    }
}

const struct tch_verdict_format tch_verdict_github = {"github", write_github};
