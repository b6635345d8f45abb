/* Turns a request into a flamegraph: checks it, runs the back end, draws the picture. */
#include "kit/flame/backend/backend.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/sized.h"
#include "base/text_span.h"
#include "capture_result.h"
#include "kit/flame/draw/file_label.h"
#include "kit/flame/draw/palette.h"
#include "kit/flame/draw/profile_formats.h"
#include "kit/flame/sample/perf_rings.h"
#include "kit/flame/stack/frame_kind.h"
#include "kit/text/human_number.h"

enum { RATE = 997, RATE_MAX = 100000, LABEL_MAX = 200, WARNINGS_MAX = 1 << 20 };

#define COMPARED_NS 0.1e9 /* less CPU time has too few samples to compare */

static int check_request(const tacho_flame_request *r, tacho_error *err)
{
    bool all = (r->flags & TACHO_FLAME_ALL) != 0;

    if (r->argv && !r->argv[0])
        return tch_fail(err, TACHO_EINVAL, 0, "the command is empty");
    if (!r->argv && r->pid <= 0 && !all)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "nothing to profile: the request has neither a command nor a process");
    if (r->pid && (r->argv || all))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "a process cannot be combined with a command or with all processes");
    if (r->output && !r->argv)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "an output was given, but there is no command that could write it");
    if (r->rate > RATE_MAX)
        return tch_fail(err, TACHO_EINVAL, 0, "%u samples per second exceed the limit of %d",
                        (unsigned)r->rate, RATE_MAX);
    if (r->stack_bytes > TCH_STACK_COPY_MAX || r->stack_bytes % 8 != 0)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "a stack copy of %u bytes is not a multiple of 8 of at most %d",
                        (unsigned)r->stack_bytes, TCH_STACK_COPY_MAX);
    if (r->call_graph > TACHO_CALL_GRAPH_DWARF)
        return tch_fail(err, TACHO_EINVAL, 0, "there is no call graph %u", (unsigned)r->call_graph);
    if ((r->flags & TACHO_FLAME_KERNEL) && (r->flags & TACHO_FLAME_USER))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "TACHO_FLAME_KERNEL and TACHO_FLAME_USER exclude each other");
    return 0;
}

/* Makes a back end that calls the request's own profiler. */
static int check_own(struct tch_capture *c, tacho_error *err)
{
    const tacho_flame_profiler *own = &c->own_profiler;
    int status;

    if (!c->request.own)
        return 0;
    status = tch_sized_read(&c->own_profiler, sizeof c->own_profiler, c->request.own,
                            "TACHO_FLAME_PROFILER_INIT", err);
    if (status < 0)
        return status;
    if (!own->capture || !own->name || !own->name[0])
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the request's own profiler has no name or no capture function");
    if (strlen(own->name) >= sizeof c->result.profiler)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the name of profiler '%.80s' has more than %zu bytes", own->name,
                        sizeof c->result.profiler - 1);
    if (c->request.profiler)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the request names two profilers, '%s' and '%s'; remove one of them",
                        c->request.profiler, own->name);
    c->own = (struct tch_backend){.name = own->name, .used = own->name, .capture = tch_own_capture};
    c->backend = &c->own;
    return 0;
}

static int find_palette(struct tch_capture *c, tacho_error *err)
{
    const char *name = c->request.palette;

    while (name && tch_palettes[c->palette] && strcmp(tch_palettes[c->palette], name) != 0)
        c->palette++;
    if (!tch_palettes[c->palette])
        return tch_fail(err, TACHO_EINVAL, 0, "there is no palette '%s'", name);
    return 0;
}

/* Returns the label of a request without one. */
static const char *default_label(const tacho_flame_request *r, char *room, size_t size)
{
    if (r->argv) {
        struct tch_span base = tch_span_base((struct tch_span){r->argv[0], strlen(r->argv[0])});

        snprintf(room, size, "%.*s", (int)base.len, base.p);
    } else if (r->pid) {
        snprintf(room, size, "%d", (int)r->pid);
    } else {
        snprintf(room, size, "all");
    }
    return room;
}

/* Checks that the result can be written before the command runs for an hour. */
static int prepare_output(struct tch_capture *c, tacho_error *err)
{
    tacho_error why;
    int status = tch_mkdirs(c->folder, &why);

    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_CREATE_DIR, c->folder, &why);
    if (c->request.output_dir)
        tch_buf_addf(&c->svg_path, "%s/", c->folder);
    tch_label_file(&c->svg_path, c->label);
    if (c->svg_path.failed || strlen(c->label) > LABEL_MAX)
        return tch_fail(err, TACHO_EINVAL, 0, "a label of %zu bytes is too long for a file name",
                        strlen(c->label));
    if (access(c->folder, W_OK) < 0) {
        tch_fail_errno(&why, errno, "cannot write to its folder");
        return tch_flame_failed(err, TACHO_FLAME_WRITE_SVG, c->svg_path.data, &why);
    }
    if (!(c->request.flags & TACHO_FLAME_FORCE)) {
        status = tch_label_check(c->svg_path.data, c->label, &why);
        if (status < 0)
            return tch_flame_failed(err, TACHO_FLAME_WRITE_SVG, c->svg_path.data, &why);
    }
    return 0;
}

/* The files beside the SVG, in the order of enum tch_flame_extra. */
static const struct {
    uint32_t flag;
    const char *format;
    const char *extension;
} extras[TCH_EXTRAS] = {
    {TACHO_FLAME_FOLDED, "folded", ".folded"},
    {TACHO_FLAME_PPROF, "pprof", ".pb.gz"},
    {TACHO_FLAME_SPEEDSCOPE, "speedscope", ".speedscope.json"},
};

static int write_format(struct tch_capture *c, const char *name, const char *path, tacho_error *err)
{
    struct tch_profile profile = {.stacks = &c->stacks,
                                  .name = c->label,
                                  .unit = c->count_name,
                                  .measure = c->measure,
                                  .period_ns = c->period_ns,
                                  .origins = c->origins.count > 0 ? &c->origins : NULL};
    struct tch_format_options options = {.least_percent = -1, .utf8 = true};
    struct tch_replace file;
    struct tch_sink sink;
    tacho_error why = {.message = ""};
    int status = tch_label_replace(&file, path, &why);
    int ended;

    options.svg.title = c->label;
    options.svg.label = c->label;
    options.svg.count_name = c->count_name;
    options.svg.inverted = (c->request.flags & TACHO_FLAME_INVERTED) != 0;
    options.svg.palette = c->palette;
    if (status < 0)
        return tch_flame_failed(err, TACHO_FLAME_WRITE_SVG, path, &why);
    tch_sink_init(&sink, tch_sink_to_replace, &file, &why);
    status = tch_format_by_name(name)->write(&profile, &options, &sink);
    ended = tch_sink_end(&sink);
    if (status == 0)
        status = ended;
    if (status == 0)
        status = tch_label_keep_previous(
            path, path == c->svg_path.data ? &c->result.previous_path : NULL, &why);
    if (status == 0)
        status = tch_replace_commit(&file, &why);
    tch_replace_abort(&file);
    return status < 0 ? tch_flame_failed(err, TACHO_FLAME_WRITE_SVG, path, &why) : 0;
}

/* Writes "flamegraph-x.folded" beside "flamegraph-x.svg" if it was requested. In any case moves
   that of an earlier capture out of the way, because it does not belong to the new picture. */
static int write_extra(struct tch_capture *c, enum tch_flame_extra extra, tacho_error *err)
{
    bool wanted = (c->request.flags & extras[extra].flag) != 0;
    struct tch_buf path;
    int status;

    tch_buf_init(&path, PATH_MAX);
    tch_buf_add(&path, c->svg_path.data, c->svg_path.len - strlen(".svg"));
    tch_buf_adds(&path, extras[extra].extension);
    if (path.failed)
        status = tch_fail_memory(err);
    else if (wanted)
        status = write_format(c, extras[extra].format, path.data, err);
    else
        status = tch_label_keep_previous(path.data, NULL, err);
    if (status == 0 && wanted)
        c->result.extra_paths[extra] = tch_buf_take(&path);
    tch_buf_release(&path);
    return status;
}

static int find_hottest(struct tch_capture *c, tacho_error *err)
{
    struct tch_hot_function hottest[TCH_HOTTEST];
    int64_t count = tch_stacks_hottest(&c->stacks, hottest, TCH_HOTTEST,
                                       (c->request.flags & TACHO_FLAME_OFF_CPU) != 0, err);

    for (int64_t i = 0; i < count; i++) {
        struct tch_span name = tch_span_interned(&c->stacks.names, hottest[i].name);
        struct tch_span text = tch_frame_unmarked(name);
        char *copy = strndup(text.p, text.len);

        if (!copy)
            return tch_fail_memory(err);
        c->result.hottest[c->result.hottest_count++] = (struct tacho_flame_hot){
            .name = copy,
            .self = hottest[i].self,
            .total = hottest[i].total,
            .kernel = tch_frame_mark(name) == 'k',
        };
    }
    return count < 0 ? (int)count : 0;
}

/* Adds a warning if the samples represent less than half of the CPU time. A process or a thread
   that exits within its first period is never sampled. */
static void warn_of_short(struct tch_capture *c)
{
    bool native = c->backend == &tch_backend_native;
    bool preload = c->backend == &tch_backend_preload;

    if (c->used_ns < COMPARED_NS || c->covered_ns > c->used_ns / 2)
        return;
    tch_buf_adds(&c->warnings, "the samples represent ");
    tch_add_value(&c->warnings, TCH_NS, c->covered_ns);
    tch_buf_adds(&c->warnings, " of the ");
    tch_add_value(&c->warnings, TCH_NS, c->used_ns);
    tch_buf_addf(&c->warnings,
                 " of CPU time that the command used, because a process or thread that uses less "
                 "than one sampling period (%.4g ms) gets %s; %s",
                 1e3 / c->request.rate,
                 native    ? "none"
                 : preload ? "few or none, and so does one in another PID namespace"
                           : "few or none",
                 native ? "use tacho flame with a higher --rate, or with --all"
                        : "use tacho flame --profiler native");
    tch_buf_addc(&c->warnings, '\0');
}

/* Says why there are no samples, and what helps. */
static int fail_empty(const struct tch_capture *c, tacho_error *err)
{
    bool several = c->used_ns > 2e9 / c->request.rate;
    bool others = c->request.pid && !(c->request.flags & TACHO_FLAME_TREE);
    bool waits = (c->request.flags & TACHO_FLAME_OFF_CPU) != 0;
    char reason[256];

    snprintf(reason, sizeof reason,
             "%s used less CPU time than one sampling period (%.4g ms); raise the rate with "
             "--rate, or use --off-cpu if it waits%s",
             c->request.pid ? "the process"
             : several      ? "every process and thread of the program"
                            : "the program",
             1e3 / c->request.rate,
             others ? "; children that it started earlier are not sampled, use their own --pid"
                    : "");
    if (c->warnings.len > 0) /* the profiler says why it missed the program */
        snprintf(reason, sizeof reason, "%s", c->warnings.data);
    else if (c->used_ns > COMPARED_NS && c->backend == &tch_backend_preload)
        snprintf(reason, sizeof reason,
                 "the program used CPU time only in processes that preload cannot sample: shorter "
                 "than one sampling period (%.4g ms), or in another PID namespace; use "
                 "--profiler native or ptrace",
                 1e3 / c->request.rate);
    else if (waits)
        snprintf(reason, sizeof reason, "no thread began to wait");
    return tacho_flame_fail(err, TACHO_FLAME_NO_OUTPUT, NULL, reason);
}

static int write_outputs(struct tch_capture *c, tacho_error *err)
{
    int status = 0;

    if (!c->drawn && c->stacks.count == 0)
        return fail_empty(c, err);
    warn_of_short(c);
    snprintf(c->stacks.counted.profiler, sizeof c->stacks.counted.profiler, "%s", c->backend->name);
    if (!c->drawn)
        status = write_format(c, "svg", c->svg_path.data, err);
    for (int i = 0; i < TCH_EXTRAS && status == 0; i++)
        status = write_extra(c, (enum tch_flame_extra)i, err);
    return status == 0 ? find_hottest(c, err) : status;
}

/* Copies the result to the heap. */
static int make_result(struct tch_capture *c, tacho_flame **ret, tacho_error *err)
{
    tacho_flame *flame = malloc(sizeof *flame);
    char *path = flame ? tch_buf_take(&c->svg_path) : NULL;
    char *warnings = path && !c->warnings.failed ? tch_buf_take(&c->warnings) : NULL;

    if (!warnings) {
        free(path);
        free(flame);
        return tch_fail_memory(err);
    }
    *flame = c->result;
    flame->svg_path = path;
    flame->warnings = warnings;
    c->result = (struct tacho_flame){0};
    *ret = flame;
    return 0;
}

/* Adds one line that says which profiler replaced the best one, why, and what differs. */
static void add_notice(struct tch_capture *c, const tacho_error *better)
{
    struct tacho_flame *result = &c->result;
    int len;

    if (!better->message[0])
        return;
    len =
        snprintf(result->notice, sizeof result->notice, "profiler '%s' is used instead of '%s': %s",
                 c->backend->name, tch_backends[0]->name, better->message);
    if (c->rate_reached > 0 && len > 0 && (size_t)len < sizeof result->notice)
        snprintf(result->notice + len, sizeof result->notice - (size_t)len,
                 "; it reached %.0f samples per second of CPU time; time in the kernel counts as "
                 "time of the code that called it",
                 c->rate_reached);
}

static int run_capture(struct tch_capture *c, tacho_flame **ret, tacho_error *err)
{
    uint64_t start = tch_now_ns();
    uint64_t end;
    tacho_error better = {0};
    int status = prepare_output(c, err);

    c->keeper = TCH_NO_KEEPER;
    if (status == 0)
        status = tch_backend_find(c, &better, err);
    if (status == 0 && c->request.rate == 0)
        c->request.rate = c->backend->rate ? c->backend->rate : RATE;
    if (status == 0 && c->request.stack_bytes == 0)
        c->request.stack_bytes = TCH_STACK_COPY;
    if (status == 0)
        status = c->backend->capture(c, err);
    tch_keeper_close(&c->keeper);
    if (c->request.wait_status)
        *c->request.wait_status = c->result.wait_status;
    if (status == 0)
        status = write_outputs(c, err);
    if (status < 0)
        return status;
    end = tch_now_ns();
    c->result.duration_ns = end - start;
    c->result.after_ns = end - c->ended_ns;
    snprintf(c->result.profiler, sizeof c->result.profiler, "%s", c->backend->used);
    add_notice(c, &better);
    return make_result(c, ret, err);
}

int tacho_flame_capture(const tacho_flame_request *request, tacho_flame **ret, tacho_error *err)
{
    struct tch_capture c = {.result.wait_status = -1};
    char label[LABEL_MAX];
    int status;

    status = tch_sized_read(&c.request, sizeof c.request, request, "TACHO_FLAME_REQUEST_INIT", err);
    if (status == 0)
        status = check_request(&c.request, err);
    if (status == 0)
        status = check_own(&c, err);
    if (status == 0)
        status = find_palette(&c, err);
    if (status < 0)
        return status;
    c.rate_given = c.request.rate > 0;
    c.stack_given = c.request.stack_bytes > 0;
    c.folder = c.request.output_dir ? c.request.output_dir : ".";
    c.label = c.request.label ? c.request.label : default_label(&c.request, label, sizeof label);
    tch_buf_init(&c.svg_path, PATH_MAX);
    tch_buf_init(&c.warnings, WARNINGS_MAX);
    status = run_capture(&c, ret, err);
    tch_flame_release(&c.result);
    tch_buf_release(&c.svg_path);
    tch_buf_release(&c.warnings);
    tch_stacks_release(&c.stacks);
    tch_origins_release(&c.origins);
    return status;
}
