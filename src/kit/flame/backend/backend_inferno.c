/* perf record, perf script and the two inferno programs. */
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "backend_tool.h"
#include "base/fail.h"
#include "kit/flame/read/profile_read.h"

/* perf script | inferno-collapse-perf > folded */
static int collapse(struct tch_capture *c, const char *data, const char *folded, tacho_error *err)
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
        return tch_fail(err, TACHO_EIO, 0, "cannot make a pipe");
    }
    status = tch_perf_script(c, data, ends[1], &script, script_argv, err);
    tool.in = ends[0];
    if (status == 0) {
        status = tch_tool_start(&tool, err);
        close(ends[0]); /* so that perf script exits when this one has */
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

/* inferno-flamegraph folded > svg */
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

static int capture(struct tch_capture *c, tacho_error *err)
{
    char data[PATH_MAX];
    char folded[PATH_MAX];
    char svg[PATH_MAX];
    int status = tch_tool_file(c, "perf.data", data, sizeof data, err);

    if (status == 0)
        status = tch_tool_file(c, "folded", folded, sizeof folded, err);
    if (status == 0)
        status = tch_tool_file(c, "svg", svg, sizeof svg, err);
    if (status < 0)
        return status;
    status = tch_perf_record(c, data, err);
    if (status == 0)
        status = collapse(c, data, folded, err);
    if (status == 0)
        status = tch_tool_read_file(c, folded, TCH_READ_FOLDED, err);
    if (status == 0 && c->stacks.count == 0)
        status = tch_fail(err, TACHO_EIO, 0, "profiler produced no output");
    if (status == 0)
        status = draw(c, folded, svg, err);
    unlink(data);
    unlink(folded);
    unlink(svg);
    return status;
}

static int probe(tacho_error *err)
{
    static const char *const programs[] = {"perf", "inferno-collapse-perf", "inferno-flamegraph"};
    int status = 0;

    for (size_t i = 0; status == 0 && i < sizeof programs / sizeof programs[0]; i++)
        status = tch_tool_probe(programs[i], err);
    return status;
}

const struct tch_backend tch_backend_inferno = {
    .name = "perf-inferno",
    .used = "perf + inferno",
    .needs = "perf, inferno-collapse-perf and inferno-flamegraph",
    .draws = true,
    .cannot =
        TACHO_FLAME_SOURCE | TACHO_FLAME_DEBUGINFOD | TACHO_FLAME_PER_THREAD | TACHO_FLAME_INVERTED,
    .probe = probe,
    .works = tch_perf_works,
    .capture = capture,
};
