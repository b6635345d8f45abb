/* tacho trace info: what is in a recording, and what is not. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/human_number.h"
#include "base/json_write.h"
#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cmd_trace_parts.h"
#include "lib/trace/recording_events.h"
#include "lib/trace/recording_file.h"
#include "trace_file_info.h"

enum { OUT_MAX = 1 << 20 };

/* What the walk tells and the recording does not count. */
struct found {
    uint64_t others; /* events that are no spans */
    uint64_t last_ns;
};

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct found *f = ctx;

    if (e->seen == TCH_SEEN_OTHER && e->kind != TCH_REC_THREAD && e->kind != TCH_REC_THREAD_NAME &&
        e->kind != TCH_REC_PROCESS_NAME)
        f->others++;
    if (e->seen != TCH_SEEN_UNFINISHED && e->ns > f->last_ns)
        f->last_ns = e->ns;
    return 0;
}

static uint64_t duration(const struct tch_recording *r, const struct found *f)
{
    return f->last_ns > r->clock.first.ns ? f->last_ns - r->clock.first.ns : 0;
}

static uint32_t count_names(const struct tch_rec_names *names)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < names->count; i++)
        count += names->list[i].name != NULL;
    return count;
}

static void add_time(struct tch_buf *b, uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000);
    struct tm tm;
    char text[32];

    if (gmtime_r(&seconds, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm) > 0)
        tch_buf_adds(b, text);
}

static const char *clock_name(const struct tch_recording *r)
{
    return r->head.clock == TCH_REC_CLOCK_TSC ? "tsc" : "monotonic";
}

/* For programs. */

static void add_json_time(struct tch_buf *b, uint64_t wall_ns)
{
    char mem[32];
    struct tch_buf text;

    tch_buf_init_on(&text, mem, sizeof mem, sizeof mem - 1);
    add_time(&text, wall_ns);
    tch_json_put_text(b, "started", text.data);
    tch_buf_release(&text);
}

static void add_json(struct tch_buf *b, const struct tch_recording *r, const struct found *f)
{
    const struct tch_rec_header *head = &r->head;
    char mem[64];
    struct tch_buf why;

    tch_buf_init_on(&why, mem, sizeof mem, sizeof mem - 1);
    tch_add_reasons(&why, head->reasons);
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.trace.info.v1");
    tch_json_put_text(b, "file", r->path);
    tch_json_put_u64(b, "bytes", r->size);
    tch_json_put_text(b, "program", head->program);
    tch_json_put_u64(b, "pid", head->pid);
    tch_json_put_u64(b, "parent_pid", head->parent);
    tch_json_put_text(b, "boot_id", head->boot_id);
    add_json_time(b, head->wall_ns);
    tch_json_put_u64(b, "duration_ns", duration(r, f));
    tch_json_put_bool(b, "ended_in_order", head->ended != 0);
    tch_json_put_text(b, "clock", clock_name(r));
    tch_json_put_bool(b, "clock_calibrated_now", r->clock_from_reader);
    tch_json_put_u64(b, "threads", r->threads);
    tch_json_put_u64(b, "names", count_names(&r->sites));
    tch_json_put_u64(b, "records", r->records);
    tch_json_put_u64(b, "spans", r->spans);
    tch_json_put_u64(b, "unfinished_spans", r->unfinished);
    tch_json_put_u64(b, "other_events", f->others);
    tch_json_put_u64(b, "dropped_records", head->dropped);
    tch_json_put_text(b, "dropped_why", why.data);
    tch_json_put_u64(b, "spans_cut_by_a_gap", r->lost_begins);
    tch_json_put_u64(b, "ends_without_begin", r->lost_ends);
    tch_json_put_u64(b, "texts_cut", head->cut);
    tch_json_put_u64(b, "damaged_records", r->damaged);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
    tch_buf_release(&why);
}

/* For people. */

static void add_row(struct table *t, const char *name, enum paint paint, const char *text)
{
    cli_table_add(t, BOLD, name);
    cli_table_add(t, paint, text);
}

static void add_rowf(struct table *t, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void add_rowf(struct table *t, const char *name, const char *fmt, ...)
{
    char text[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    add_row(t, name, PLAIN, text);
}

/* What is missing, only where something is. */
static void add_losses(struct table *t, const struct tch_recording *r)
{
    char mem[128];
    struct tch_buf text;

    if (r->head.dropped > 0) {
        tch_buf_init_on(&text, mem, sizeof mem, sizeof mem - 1);
        tch_buf_addf(&text, "%llu records (", (unsigned long long)r->head.dropped);
        tch_add_reasons(&text, r->head.reasons);
        tch_buf_addc(&text, ')');
        add_row(t, "dropped", YELLOW, text.data);
        tch_buf_release(&text);
    }
    if (r->lost_begins + r->lost_ends > 0)
        add_rowf(t, "at gaps", "%llu spans cut, %llu ends without their begin",
                 (unsigned long long)r->lost_begins, (unsigned long long)r->lost_ends);
    if (r->head.cut > 0)
        add_rowf(t, "texts cut", "%llu", (unsigned long long)r->head.cut);
    if (r->damaged > 0)
        add_rowf(t, "damaged", "%llu records", (unsigned long long)r->damaged);
}

static void add_report(struct tch_buf *b, const struct tch_recording *r, const struct found *f,
                       const struct term *term)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_CUT}};
    const struct tch_rec_header *head = &r->head;
    struct tch_buf text;
    struct table t;

    tch_buf_init(&text, 4096);
    cli_table_init(&t, term, columns, 2);
    /* What was converted to a recording tells neither of the two. */
    add_rowf(&t, "program", "%s (process %u)", head->program[0] ? head->program : "not told",
             (unsigned)head->pid);
    if (head->wall_ns > 0)
        add_time(&text, head->wall_ns);
    else
        tch_buf_adds(&text, "not told when");
    tch_buf_adds(&text, ", for ");
    tch_add_value(&text, TCH_NS, (double)duration(r, f));
    tch_buf_adds(&text, head->ended ? "" : "; it did not end in order, or goes on");
    add_row(&t, "recorded", PLAIN, text.data);
    tch_buf_clear(&text);
    tch_add_value(&text, TCH_BYTES, (double)r->size);
    add_row(&t, "size", PLAIN, text.data);
    add_rowf(&t, "threads", "%u", (unsigned)r->threads);
    add_rowf(&t, "spans", "%llu, %llu of them never ended",
             (unsigned long long)(r->spans + r->lost_begins + r->unfinished),
             (unsigned long long)r->unfinished);
    add_rowf(&t, "other events", "%llu", (unsigned long long)f->others);
    add_rowf(&t, "names", "%u", (unsigned)count_names(&r->sites));
    add_losses(&t, r);
    cli_table_print(&t, b);
    cli_table_release(&t);
    tch_buf_release(&text);
}

/* Does the file begin as a recording, sound or not? */
static bool is_recording(const char *path)
{
    char magic[sizeof TCH_REC_MAGIC - 1];
    FILE *file = fopen(path, "rbe");
    bool is = file && fread(magic, sizeof magic, 1, file) == 1 &&
              memcmp(magic, TCH_REC_MAGIC, sizeof magic) == 0;

    if (file)
        fclose(file);
    return is;
}

static int run_info(struct args *args)
{
    struct tch_recording r;
    struct found found = {0};
    struct tch_buf b;
    tacho_error err;
    int status;

    status = tch_recording_open(&r, args->operands[0], &err);
    if (status == TACHO_EPARSE && !is_recording(args->operands[0]))
        return cli_trace_file_info(args, args->operands[0]);
    if (status < 0) {
        cli_complain(&err, "cannot look into '%s'", args->operands[0]);
        return EXIT_WORK;
    }
    status = EXIT_WORK;
    if (tch_recording_walk(&r, see, &found, &err) < 0) {
        cli_complain(&err, "cannot look into '%s'", args->operands[0]);
        goto out;
    }
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        add_json(&b, &r, &found);
    else
        add_report(&b, &r, &found, &args->out);
    status = cli_print(&b);
out:
    tch_recording_close(&r);
    return status;
}

static const struct arg operands[] = {
    {.name = "FILE", .help = "a recording or any other trace", .complete = COMPLETE_FILE},
    {.name = NULL},
};

const struct cmd cmd_trace_info = {
    .name = "info",
    .summary = "what is in a recording or a trace, and what is not",
    .usage = "tacho trace info [--json] FILE",
    .about =
        "Reads the whole of a recording and counts: threads, spans, other events, and what "
        "was dropped or is damaged. It may be one that is still being written. Of any other trace: "
        "its format, processes, tracks and events by kind.",
    .args = operands,
    .json = true,
    .run = run_info,
};
