/* Captures with perf record and perf script; tacho folds and draws. */

#include "backend_perf.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/flame/read/profile_read.h"
#include "process/spawn.h"
#include "process/tree.h"

enum { OPTION_WORDS = 32, PIDS_ROOM = 4096 };

/* The words of `perf record`, followed by those of the command. */
struct words {
    const char **list;
    size_t count;
    char rate[16];
    char stack[32];
    char pids[PIDS_ROOM];
};

static void add_word(struct words *w, const char *word)
{
    w->list[w->count++] = word;
}

/* Writes "12,13,14": the process and its descendants, as many as there is room for. */
static void format_pids(struct words *w, const tacho_flame_request *r)
{
    struct tch_tree tree = {0};
    size_t len = (size_t)snprintf(w->pids, sizeof w->pids, "%d", (int)r->pid);

    if (r->flags & TACHO_FLAME_TREE)
        tch_tree_find(&tree, r->pid);
    for (size_t i = 0; i < tree.count && len + 16 < sizeof w->pids; i++)
        if (tch_tree_pid(&tree, i) != r->pid)
            len += (size_t)snprintf(w->pids + len, sizeof w->pids - len, ",%d",
                                    (int)tch_tree_pid(&tree, i));
    tch_tree_release(&tree);
}

static void add_options(struct words *w, const struct tch_capture *c, const char *data)
{
    const tacho_flame_request *r = &c->request;
    bool own = c->backend->own_defaults;
    const char *dwarf = own && !c->stack_given ? "dwarf" : w->stack;

    snprintf(w->rate, sizeof w->rate, "%u", (unsigned)r->rate);
    snprintf(w->stack, sizeof w->stack, "dwarf,%u", (unsigned)r->stack_bytes);
    add_word(w, "perf");
    add_word(w, "record");
    add_word(w, "-q");
    add_word(w, "--no-bpf-event"); /* otherwise perf waits almost a second at the end */
    if (!own || c->rate_given) {
        add_word(w, "-F");
        add_word(w, w->rate);
    }
    if (r->event) {
        add_word(w, "-e");
        add_word(w, r->event);
    }
    add_word(w, "-g");
    add_word(w, "--call-graph");
    add_word(w, r->call_graph == TACHO_CALL_GRAPH_FP ? "fp" : dwarf);
    if (r->flags & TACHO_FLAME_USER)
        add_word(w, "--all-user");
    if (r->flags & TACHO_FLAME_KERNEL)
        add_word(w, "--all-kernel");
    if (r->flags & TACHO_FLAME_ALL)
        add_word(w, "-a");
    if (r->pid) {
        add_word(w, "-p");
        format_pids(w, r);
        add_word(w, w->pids);
    }
    add_word(w, "-o");
    add_word(w, data);
}

static int run_record(struct tch_capture *c, const struct words *w, const char *data,
                      tacho_error *err)
{
    const tacho_flame_request *r = &c->request;
    struct tch_tool tool = {.name = "perf record",
                            .argv = w->list,
                            .cwd = r->cwd,
                            .env = r->env,
                            .in = -1,
                            .out = -1,
                            .command = c};
    struct stat st;
    int status = tch_tool_start(&tool, err);

    if (status == 0)
        status = tch_tool_wait(&tool, err);
    c->ended_ns = tch_now_ns();
    if (status < 0)
        return status;
    /* perf exits with the command's status, unless it failed before that. */
    if (stat(data, &st) < 0 || st.st_size == 0)
        return tch_tool_failed(&tool, err);
    if (r->argv)
        c->result.wait_status = tch_tool_wait_status(&tool);
    return 0;
}

int tch_perf_record(struct tch_capture *c, const char *data, tacho_error *err)
{
    const tacho_flame_request *r = &c->request;
    struct words w = {.count = 0};
    size_t operands = 0;
    char path[PATH_MAX];
    tacho_error why;
    int status;

    /* perf would report late, and less clearly, that a command cannot be started. */
    if (r->argv && !(r->cwd && strchr(r->argv[0], '/')) &&
        tch_find_program(r->argv[0], path, sizeof path, &why) != 0)
        return tch_flame_failed(err, TACHO_FLAME_COMMAND_FAILED, "perf record", &why);
    if (r->flags & TACHO_FLAME_OFF_CPU)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "only --profiler native supports --off-cpu");
    while (r->argv && r->argv[operands])
        operands++;
    w.list = calloc(OPTION_WORDS + operands, sizeof *w.list);
    if (!w.list)
        return tch_fail_memory(err);
    add_options(&w, c, data);
    if (operands > 0)
        add_word(&w, "--");
    for (size_t i = 0; i < operands; i++)
        add_word(&w, r->argv[i]);
    status = run_record(c, &w, data, err);
    snprintf(c->result.event, sizeof c->result.event, "%s", r->event ? r->event : "");
    free(w.list);
    return status;
}

int tch_perf_script(const struct tch_capture *c, const char *data, int out, struct tch_tool *tool,
                    const char **argv, tacho_error *err)
{
    size_t count = 0;
    int status;

    argv[count++] = "perf";
    argv[count++] = "script";
    if (c->request.flags & TACHO_FLAME_NO_INLINE)
        argv[count++] = "--no-inline";
    argv[count++] = "-i";
    argv[count++] = data;
    argv[count] = NULL;
    *tool = (struct tch_tool){.name = "perf script", .argv = argv, .in = -1, .out = out};
    status = tch_tool_start(tool, err);
    close(out);
    return status;
}

/* Pipes the output of perf script into our reader. */
static int fold(struct tch_capture *c, const char *data, tacho_error *err)
{
    const char *argv[TCH_PERF_SCRIPT_WORDS];
    struct tch_tool tool;
    int ends[2];
    int status;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return tch_fail(err, TACHO_EIO, 0, "cannot create a pipe");
    status = tch_perf_script(c, data, ends[1], &tool, argv, err);
    if (status < 0) {
        close(ends[0]);
        return status;
    }
    status = tch_tool_read(c, ends[0], "perf script", TCH_READ_PERF, err);
    close(ends[0]);
    return tch_tool_finish(&tool, status, err);
}

static int capture(struct tch_capture *c, tacho_error *err)
{
    char data[PATH_MAX];
    int status = tch_tool_file(c, "perf.data", data, sizeof data, err);

    if (status < 0)
        return status;
    status = tch_perf_record(c, data, err);
    if (status == 0)
        status = fold(c, data, err);
    unlink(data);
    return status;
}

int tch_perf_works(tacho_error *err)
{
    static const char *const argv[] = {"perf",      "record", "-q",   "-o",
                                       "/dev/null", "--",     "true", NULL};
    struct tch_tool tool = {.name = "perf record", .argv = argv, .in = -1, .out = -1};

    return tch_tool_run(&tool, err);
}

static int probe(tacho_error *err)
{
    return tch_tool_probe("perf", err);
}

const struct tch_backend tch_backend_perf = {
    .name = "perf",
    .used = "perf",
    .needs = "perf",
    .cannot = TACHO_FLAME_SOURCE | TACHO_FLAME_DEBUGINFOD,
    .probe = probe,
    .works = tch_perf_works,
    .capture = capture,
};
