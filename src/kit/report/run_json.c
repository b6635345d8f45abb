/* Writes results as JSON, one per line. With several, a last line contains the comparison. */
#include "kit/file/found_file.h"
#include "report.h"
#include "run_comparison.h"

/* Copies results from their files instead of writing them again: they may be of another
   version. */
static int write_json(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                      tacho_error *err)
{
    struct tch_comparison all;
    int status = 0;

    for (size_t i = 0; i < count && status == 0; i++)
        if (runs[i].life == TCH_RUN_ENDED)
            status = tch_found_read(runs[i].folder, "run.json", TCH_RESULT_MAX, b, err);
        else
            tch_result_write(b, &runs[i].result);
    if (status < 0 || count < 2)
        return status;
    status = tch_comparison_make(&all, runs, count, err);
    if (status == 0)
        tch_comparison_write(b, &all);
    return status;
}

const struct tch_report_format tch_report_json = {"json", NULL, write_json};
