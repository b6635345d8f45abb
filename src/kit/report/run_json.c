/* Writes receipts as JSON, one per line. With several, a last line contains the comparison. */
#include "report.h"
#include "run_comparison.h"

/* Copies receipts from their files instead of writing them again: they may be of another
   version. */
static int write_json(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                      tacho_error *err)
{
    struct tch_comparison all;
    int status;

    for (size_t i = 0; i < count; i++)
        if (runs[i].receipt.ended)
            tch_receipt_write(b, &runs[i].receipt);
        else
            tch_buf_add(b, runs[i].receipt.text.data, runs[i].receipt.text.len);
    if (count < 2)
        return 0;
    status = tch_comparison_make(&all, runs, count, err);
    if (status == 0)
        tch_comparison_write(b, &all);
    return status;
}

const struct tch_report_format tch_report_json = {"json", NULL, write_json};
