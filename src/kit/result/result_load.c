/* Results in run folders: run.json, and samples.jsonl while the run is in progress. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "advise.h"
#include "base/fail.h"
#include "base/lines.h"
#include "kit/file/found_file.h"
#include "result.h"

int tch_result_save(const struct tch_result *r, const char *folder, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_RESULT_MAX);
    tch_result_write(&b, r);
    status = b.failed ? tch_fail_memory(err)
                      : tch_found_write(folder, "run.json", b.data, b.len, false, err);
    tch_buf_release(&b);
    return status;
}

/* Reads samples.jsonl. Ignores a last line that a kill truncated. */
static int read_log(struct tch_result *r, const char *folder, tacho_error *err)
{
    struct tch_buf b;
    struct tch_lines lines;
    struct tch_line line;
    int status;
    int more = 0;

    tch_buf_init(&b, TCH_RESULT_MAX);
    status = tch_found_read(folder, "samples.jsonl", TCH_RESULT_MAX, &b, err);
    tch_lines_init_mem(&lines, b.data, b.len, 0);
    while (status == 0 && (more = tch_lines_next(&lines, &line, err)) > 0) {
        if (!line.ended || line.too_long)
            continue;
        status = tch_result_parse_run(r, line.text, line.len, err);
        if (status < 0 && err)
            err->line = line.number;
    }
    tch_lines_release(&lines);
    tch_buf_release(&b);
    return status < 0 ? status : more;
}

static int read_file(struct tch_result *r, const char *folder, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_RESULT_MAX);
    status = tch_found_read(folder, "run.json", TCH_RESULT_MAX, &b, err);
    if (status == 0)
        status = tch_result_parse(r, b.data, b.len, err);
    tch_buf_release(&b);
    return status;
}

int tch_result_load(struct tch_result *r, const char *folder, tacho_error *err)
{
    char path[PATH_MAX];
    int status;

    *r = (struct tch_result){0};
    if (snprintf(path, sizeof path, "%s/run.json", folder) < PATH_MAX &&
        access(folder, F_OK) == 0 && access(path, F_OK) < 0 &&
        (errno == ENOENT || errno == ENOTDIR))
        return tch_fail(err, TACHO_EINVAL, 0, "'%s' is not a run folder: it has no run.json",
                        folder);
    status = read_file(r, folder, err);
    if (status == 0 && !r->ended) {
        status = read_log(r, folder, err);
        if (status == 0)
            status = tch_advise(r, err);
    }
    return status < 0 ? status : tch_result_sum(r, err);
}
