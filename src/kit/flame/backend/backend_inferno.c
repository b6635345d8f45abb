/* Captures with perf or dtrace, and draws with the programs of inferno. */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "backend_dtrace.h"
#include "backend_perf.h"
#include "backend_tool.h"
#include "base/fail.h"
#include "kit/flame/read/profile_read.h"

/* Runs "perf script | inferno-collapse-perf > folded". */
static int collapse_perf(struct tch_capture *c, const char *data, const char *folded,
                         tacho_error *err)
{
    const char *script_argv[TCH_PERF_SCRIPT_WORDS];
    const char *const argv[] = {"inferno-collapse-perf", NULL};
    struct tch_tool script;
    struct tch_tool tool = {.argv = argv, .out = -1};
    int ends[2];
    int status = tch_tool_create(folded, &tool.out, err);

    if (status < 0)
        return status;
    if (pipe2(ends, O_CLOEXEC) < 0) {
        close(tool.out);
        return tch_fail(err, TACHO_EIO, 0, "cannot create a pipe");
    }
    status = tch_perf_script(c, data, ends[1], &script, script_argv, err);
    tool.in = ends[0];
    if (status == 0) {
        status = tch_tool_start(&tool, err);
        close(ends[0]); /* so that perf script exits when inferno does */
        ends[0] = -1;
        if (status == 0)
            status = tch_tool_finish(&tool, 0, err);
        status = tch_tool_finish(&script, status, err);
    }
    if (ends[0] >= 0)
        close(ends[0]);
    close(tool.out);
    return status;
}

/* Runs "inferno-collapse-dtrace < data > folded". */
static int collapse_dtrace(struct tch_capture *c, const char *data, const char *folded,
                           tacho_error *err)
{
    const char *const argv[] = {"inferno-collapse-dtrace", NULL};
    struct tch_tool tool = {.argv = argv, .in = open(data, O_RDONLY | O_CLOEXEC)};
    int status;

    (void)c;
    if (tool.in < 0)
        return tacho_flame_fail(err, TACHO_FLAME_NO_OUTPUT, NULL, NULL);
    status = tch_tool_create(folded, &tool.out, err);
    if (status == 0) {
        status = tch_tool_run(&tool, err);
        close(tool.out);
    }
    close(tool.in);
    return status;
}

/* Runs "inferno-flamegraph folded > svg". */
static int draw(struct tch_capture *c, const char *folded, const char *svg, tacho_error *err)
{
    const char *const argv[] = {"inferno-flamegraph", "--title", c->label, folded, NULL};
    struct tch_tool tool = {.argv = argv, .in = -1};
    int status = tch_tool_create(svg, &tool.out, err);

    if (status < 0)
        return status;
    status = tch_tool_run(&tool, err);
    close(tool.out);
    return status == 0 ? tch_tool_adopt(c, svg, argv[0], err) : status;
}

/* A profiler whose recording inferno draws. */
struct source {
    const char *file; /* name of the recording */
    int (*record)(struct tch_capture *c, const char *data, tacho_error *err);
    int (*collapse)(struct tch_capture *c, const char *data, const char *folded, tacho_error *err);
};

static int capture_from(const struct source *source, struct tch_capture *c, tacho_error *err)
{
    char data[PATH_MAX];
    char folded[PATH_MAX];
    char svg[PATH_MAX];
    int status = tch_tool_file(c, source->file, data, sizeof data, err);

    if (status < 0)
        return status;
    status = tch_tool_file(c, "folded", folded, sizeof folded, err);
    if (status < 0)
        return status;
    status = tch_tool_file(c, "svg", svg, sizeof svg, err);
    if (status < 0)
        return status;
    status = source->record(c, data, err);
    if (status < 0)
        goto out;
    status = source->collapse(c, data, folded, err);
    if (status < 0)
        goto out;
    status = tch_tool_read_file(c, folded, TCH_READ_FOLDED, err);
    if (status < 0)
        goto out;
    status = c->stacks.count > 0 ? draw(c, folded, svg, err)
                                 : tacho_flame_fail(err, TACHO_FLAME_NO_OUTPUT, NULL, NULL);
out:
    unlink(data);
    unlink(folded);
    unlink(svg);
    return status;
}

static int probe_programs(const char *const *programs, tacho_error *err)
{
    int status = 0;

    for (; status == 0 && *programs; programs++)
        status = tch_tool_probe(*programs, err);
    return status;
}

static int capture_perf(struct tch_capture *c, tacho_error *err)
{
    static const struct source perf = {"perf.data", tch_perf_record, collapse_perf};

    return capture_from(&perf, c, err);
}

static int probe_perf(tacho_error *err)
{
    static const char *const programs[] = {"perf", "inferno-collapse-perf", "inferno-flamegraph",
                                           NULL};

    return probe_programs(programs, err);
}

static int capture_dtrace(struct tch_capture *c, tacho_error *err)
{
    static const struct source dtrace = {"dtrace-stacks.txt", tch_dtrace_record, collapse_dtrace};

    return capture_from(&dtrace, c, err);
}

static int probe_dtrace(tacho_error *err)
{
    static const char *const programs[] = {"dtrace", "inferno-collapse-dtrace",
                                           "inferno-flamegraph", NULL};

    return probe_programs(programs, err);
}

const struct tch_backend tch_backend_inferno = {
    .name = "perf-inferno",
    .used = "perf + inferno",
    .needs = "perf, inferno-collapse-perf and inferno-flamegraph",
    .draws = true,
    .rate = 4000, /* the default of perf record */
    .own_defaults = true,
    .cannot =
        TACHO_FLAME_SOURCE | TACHO_FLAME_DEBUGINFOD | TACHO_FLAME_PER_THREAD | TACHO_FLAME_INVERTED,
    .probe = probe_perf,
    .works = tch_perf_works,
    .capture = capture_perf,
};

const struct tch_backend tch_backend_dtrace_inferno = {
    .name = "dtrace-inferno",
    .used = "dtrace + inferno",
    .needs = "dtrace, inferno-collapse-dtrace and inferno-flamegraph",
    .runs_only = true,
    .own_event = true,
    .draws = true,
    .cannot = TCH_DTRACE_CANNOT | TACHO_FLAME_INVERTED,
    .probe = probe_dtrace,
    .works = tch_dtrace_works,
    .capture = capture_dtrace,
};
