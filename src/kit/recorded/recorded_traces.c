/* Finds the recordings and the Chrome traces of all runs. */
#include "recorded_traces.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/file.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "lib/trace/recording_convert.h"
#include "recorded.h"

struct recordings {
    const char *folder;
    bool (*wanted)(const char *name);
    tch_recorded_trace_fn *each;
    void *ctx;
};

static int visit_file(void *ctx, const char *name, tacho_error *err)
{
    const struct recordings *r = ctx;
    char path[PATH_MAX];
    int status = r->wanted(name) ? tch_found_regular(r->folder, name, err) : 0;

    if (status <= 0)
        return status;
    status = tch_folder_at(path, r->folder, name, err);
    return status < 0 ? status : r->each(path, r->ctx, err);
}

static int visit_iteration(void *ctx, const char *name, tacho_error *err)
{
    const struct recordings *r = ctx;

    return tch_found_each(r->folder, name, visit_file, ctx, err);
}

int tch_recorded_each_recording(const char *folder, tch_recorded_trace_fn *each, void *ctx,
                                tacho_error *err)
{
    struct recordings r = {
        .folder = folder, .wanted = tch_trace_is_recording, .each = each, .ctx = ctx};

    return tch_found_each(folder, "iter", visit_iteration, &r, err);
}

static bool is_chrome_trace(const char *name)
{
    return strcmp(tch_base_name(name), TCH_CHROME_PART) == 0;
}

int tch_recorded_each_chrome(const char *folder, tch_recorded_trace_fn *each, void *ctx,
                             tacho_error *err)
{
    struct recordings r = {.folder = folder, .wanted = is_chrome_trace, .each = each, .ctx = ctx};

    return tch_found_each(folder, "iter", visit_iteration, &r, err);
}
