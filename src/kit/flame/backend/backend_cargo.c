/* Captures with cargo flamegraph, which samples and draws by itself. */
#include <limits.h>
#include <unistd.h>

#include "backend_perf.h"
#include "backend_tool.h"
#include "base/clock.h"
#include "base/fail.h"

static int capture(struct tch_capture *c, tacho_error *err)
{
    enum { OPTION_WORDS = 5 };
    const tacho_flame_request *r = &c->request;
    struct tch_tool tool = {.name = "cargo flamegraph",
                            .cwd = r->cwd,
                            .env = r->env,
                            .in = -1,
                            .out = -1,
                            .command = c};
    char svg[PATH_MAX];
    const char *const options[OPTION_WORDS] = {"cargo", "flamegraph", "--output", svg, "--"};
    const char **argv;
    size_t count = 0;
    int status = tch_tool_file(c, "svg", svg, sizeof svg, err);

    if (status < 0)
        return status;
    while (r->argv[count])
        count++;
    argv = calloc(OPTION_WORDS + count + 1, sizeof *argv);
    if (!argv)
        return tch_fail_memory(err);
    memcpy(argv, options, sizeof options);
    memcpy(argv + OPTION_WORDS, r->argv, count * sizeof *argv);
    tool.argv = argv;
    status = tch_tool_run(&tool, err);
    c->ended_ns = tch_now_ns();
    free(argv);
    if (status == 0) {
        c->result.wait_status = tch_tool_wait_status(&tool);
        status = tch_tool_adopt(c, svg, tool.name, err);
    }
    unlink(svg);
    return status;
}

static int probe(tacho_error *err)
{
    int status = tch_tool_probe("cargo", err);

    return status == 0 ? tch_tool_probe("cargo-flamegraph", err) : status;
}

const struct tch_backend tch_backend_cargo = {
    .name = "cargo-flamegraph",
    .used = "cargo-flamegraph",
    .needs = "cargo and cargo-flamegraph",
    .runs_only = true,
    .own_event = true,
    .draws = true,
    .cannot = TACHO_FLAME_ALL | TACHO_FLAME_OFF_CPU | TACHO_FLAME_PER_THREAD | TACHO_FLAME_KERNEL |
              TACHO_FLAME_USER | TACHO_FLAME_NO_INLINE | TACHO_FLAME_SOURCE |
              TACHO_FLAME_DEBUGINFOD | TACHO_FLAME_FOLDED | TACHO_FLAME_INVERTED |
              TACHO_FLAME_PPROF | TACHO_FLAME_SPEEDSCOPE,
    .probe = probe,
    .works = tch_perf_works, /* cargo flamegraph runs perf */
    .capture = capture,
};
