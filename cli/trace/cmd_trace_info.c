/* tacho trace info: shows what a recording or a trace contains, and what was lost. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cmd_trace_parts.h"
#include "kit/text/human_number.h"
#include "kit/trace/trace_json.h"
#include "trace_text.h"

enum { OUT_MAX = 1 << 20 };

/* Adds a row for each kind of loss that occurred. */
static void add_losses(struct table *t, const struct tch_recording *r)
{
    if (r->head.dropped > 0) {
        struct tch_buf *cell;

        cli_table_add(t, BOLD, "dropped");
        cell = cli_table_cell(t, YELLOW);
        tch_buf_addf(cell, "%llu events (", (unsigned long long)r->head.dropped);
        tch_add_reasons(cell, r->head.reasons);
        tch_buf_addc(cell, ')');
    }
    if (r->lost_begins + r->lost_ends > 0)
        cli_table_add_pair(t, "at gaps", "%llu spans truncated, %llu ends without their begin",
                           (unsigned long long)r->lost_begins, (unsigned long long)r->lost_ends);
    if (r->mismatched > 0)
        cli_table_add_pair(t, "mismatched", "%llu spans closed by the end of another span",
                           (unsigned long long)r->mismatched);
    if (r->head.cut > 0)
        cli_table_add_pair(t, "texts truncated", "%llu", (unsigned long long)r->head.cut);
    if (r->head.clock_faults > 0)
        cli_table_add_pair(t, "clock", "stood still or went back %llu times; times may be wrong",
                           (unsigned long long)r->head.clock_faults);
    if (r->damaged > 0)
        cli_table_add_pair(t, "damaged", "%llu records", (unsigned long long)r->damaged);
}

static void add_report(struct tch_buf *b, const struct tch_recording *r,
                       const struct tch_recording_counts *f, const struct term *term)
{
    static const struct column columns[] = {{.fit = FIT_WHOLE}, {.fit = FIT_CUT}};
    const struct tch_rec_header *head = &r->head;
    char started[TCH_TIME_TEXT] = "start unknown";
    struct tch_buf *cell;
    struct table t;

    cli_table_init(&t, term, columns, 2);
    /* A recording converted from another format names neither program nor start. */
    cli_table_add_pair(&t, "program", "%s (process %u)",
                       head->program[0] ? head->program : "unknown", (unsigned)head->pid);
    if (head->wall_ns > 0)
        tch_utc_text(started, head->wall_ns);
    cli_table_add(&t, BOLD, "recorded");
    cell = cli_table_cell(&t, PLAIN);
    tch_buf_addf(cell, "%s, for ", started);
    tch_add_value(cell, TCH_NS, (double)tch_recording_duration(r, f));
    tch_buf_adds(cell,
                 head->ended ? "" : "; not closed: the program was killed or is still running");
    cli_table_add(&t, BOLD, "size");
    tch_add_value(cli_table_cell(&t, PLAIN), TCH_BYTES, (double)r->size);
    cli_table_add_pair(&t, "threads", "%u", (unsigned)r->threads);
    cli_table_add_pair(&t, "spans", "%llu, %llu of them never ended",
                       (unsigned long long)(r->spans + r->lost_begins + r->unfinished),
                       (unsigned long long)r->unfinished);
    cli_table_add_pair(&t, "other events", "%llu", (unsigned long long)f->others);
    cli_table_add_pair(&t, "names", "%u", (unsigned)tch_recording_names(r));
    add_losses(&t, r);
    cli_table_print(&t, b);
    cli_table_release(&t);
}

/* Returns whether the file begins like a recording, valid or not. */
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
    struct tch_recording_counts found;
    struct tch_buf b;
    tacho_error err;
    int status;

    status = tch_recording_open(&r, args->operands[0], &err);
    if (status == TACHO_EPARSE && !is_recording(args->operands[0]))
        return cli_trace_file_info(args, args->operands[0]);
    if (status < 0) {
        cli_complain(&err, "cannot read '%s'", args->operands[0]);
        return EXIT_WORK;
    }
    status = EXIT_WORK;
    if (tch_recording_count(&r, &found, &err) < 0) {
        cli_complain(&err, "cannot read '%s'", args->operands[0]);
        goto out;
    }
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_recording_json(&b, &r, &found);
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
    .summary = "show what a recording or a trace contains, and what was lost",
    .usage = "tacho trace info [--json] FILE",
    .about =
        "For a recording, counts threads, spans and other events, and reports dropped and damaged "
        "records. The recording may still be in progress. For any other trace, shows its format, "
        "its processes and tracks, and the number of events of each kind.",
    .args = operands,
    .json = true,
    .run = run_info,
};
