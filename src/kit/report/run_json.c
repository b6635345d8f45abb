/* Receipts as JSON, one per line. */
#include "report.h"

/* A receipt that was read from its file is not written anew: it may be of another version. */
static int write_json(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                      tacho_error *err)
{
    (void)err;
    for (size_t i = 0; i < count; i++)
        if (runs[i].receipt.ended)
            tch_receipt_write(b, &runs[i].receipt);
        else
            tch_buf_add(b, runs[i].receipt.text.data, runs[i].receipt.text.len);
    return 0;
}

const struct tch_report_format tch_report_json = {"json", NULL, write_json};
