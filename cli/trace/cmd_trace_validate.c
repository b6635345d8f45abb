/* tacho trace validate: finds what a viewer would lose of a trace. */
#include <stdio.h>

#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "cmd_trace_parts.h"
#include "kit/trace/trace_json.h"
#include "trace_text.h"

enum { OUT_MAX = 1 << 20 };

static void add_places(struct tch_buf *b, const struct tch_validation *v,
                       const struct tch_finding *f)
{
    tch_buf_clear(b);
    for (size_t i = 0; i < tch_finding_places(v, f) && i < 3; i++)
        tch_buf_addf(b, "%s%llu", i > 0 ? ", " : "at byte ",
                     (unsigned long long)f->places.first[i]);
    if (b->len > 0 && f->places.count > 3)
        tch_buf_adds(b, ", ...");
    if (f->example[0])
        tch_buf_addf(b, "%s%s", b->len > 0 ? ": " : "", f->example);
}

static void add_report(struct tch_buf *b, const struct tch_validation *v, const char *path,
                       const struct term *term)
{
    static const struct column columns[] = {
        {.fit = FIT_WHOLE}, {.right = true}, {.fit = FIT_WHOLE}, {.fit = FIT_WRAP}};
    struct tch_buf where;
    struct table t;
    size_t count = 0;

    tch_buf_init(&where, 4096);
    cli_table_init(&t, term, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < TCH_FOUND_KINDS; i++) {
        const struct tch_finding *f = &v->found[i];
        const struct tch_finding_text *text = tch_finding_text((enum tch_finding_kind)i);

        if (f->places.count == 0)
            continue;
        count++;
        cli_table_add(&t, text->lost ? RED : YELLOW, text->lost ? "lost" : "note");
        cli_table_addf(&t, PLAIN, "%llu", (unsigned long long)f->places.count);
        cli_table_add(&t, BOLD, text->name);
        add_places(&where, v, f);
        cli_table_addf(&t, PLAIN, "%s%s%s%s", text->what, where.len > 0 ? "; " : "", where.data,
                       text->fixable ? " (--fix repairs it)" : "");
    }
    cli_table_print(&t, b);
    tch_buf_addf(b, "%s: %llu events, %s\n", path, (unsigned long long)v->events,
                 tch_validation_loses(v) ? "a viewer would lose something"
                 : count > 0             ? "a viewer would lose nothing"
                                         : "no problems found");
    cli_table_release(&t);
    tch_buf_release(&where);
}

static int write_fixed(struct args *args, const char *in, const char *path)
{
    struct trace_output out = {.path = path, .writing = {.lanes = true, .fix = true}};
    struct tch_trace_read_options reading;
    struct tch_rewritten done;
    struct trace_progress progress;
    tacho_error err;
    int status;

    reading = cli_trace_reading(&progress, args, in, true);
    status = tch_rewrite(&done, in, path, &reading, &out.writing, NULL, &err);
    cli_progress_end(&progress.progress);
    if (status < 0)
        cli_complain(&err, "cannot repair '%s' and write '%s'", in, path);
    status = status < 0 ? EXIT_WORK : cli_trace_report_rewritten(&done, in, &out, args);
    tch_rewritten_release(&done);
    return status;
}

static int check_file(struct args *args, const char *path)
{
    struct tch_trace_read_options reading;
    struct tch_validation v;
    struct trace_progress progress;
    struct tch_buf b;
    tacho_error err;
    int status;

    reading = cli_trace_reading(&progress, args, path, true);
    status = tch_validate(&v, path, &reading, &err);
    cli_progress_end(&progress.progress);
    if (status == TACHO_EPARSE) {
        cli_complain(&err, "no viewer opens '%s'", path);
        status = EXIT_CHECK;
    } else if (status < 0) {
        cli_complain(&err, "cannot check '%s'", path);
        status = EXIT_WORK;
    } else {
        tch_buf_init(&b, OUT_MAX);
        if (args->json)
            tch_validation_json(&b, &v, path);
        else
            add_report(&b, &v, path, &args->out);
        status = cli_print(&b);
        if (status == EXIT_OK && tch_validation_loses(&v))
            status = EXIT_CHECK;
    }
    tch_validation_release(&v);
    return status;
}

struct options {
    bool fix;
    const char *out;
};

static int run_validate(struct args *args)
{
    struct options o = {.out = NULL};

    cli_set_opts(args, &o, NULL);
    if (o.fix && !o.out)
        return cli_wrong_usage(args, "--fix needs -o OUT, the file to write");
    if (!o.fix && o.out)
        return cli_wrong_usage(args, "-o OUT needs --fix");
    return o.fix ? write_fixed(args, args->operands[0], o.out)
                 : check_file(args, args->operands[0]);
}

static const struct opt opts[] = {
    {.name = "fix",
     .help = "repair what can be repaired and write the result to OUT",
     CLI_FLAG(struct options, fix)},
    {.name = "output",
     .letter = 'o',
     .arg = "OUT",
     .help = "write the repaired trace to OUT (with --fix)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct options, out)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE", .help = "the trace to check; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho trace validate trace.json", "List what a viewer would not show, and where it is."},
    {"tacho trace validate --fix trace.json -o fixed.json", "Write a repaired copy."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a viewer would lose something"},
    {0, NULL},
};

const struct cmd cmd_trace_validate = {
    .name = "validate",
    .summary = "find what a viewer would drop, reject or round",
    .usage = "tacho trace validate [--json] FILE\n"
             "tacho trace validate --fix FILE -o OUT",
    .about =
        "Checks a trace for what Perfetto and Chrome handle badly: spans that partly overlap on "
        "one track, events without a required member, ids above 32 bits, flows that bind to no "
        "span or start twice with one id, invalid JSON, JSON lines, and times that cannot be "
        "displayed. --fix writes a repaired trace: overlapping spans move to extra tracks, ids and "
        "times become small, and a truncated file is closed properly.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_validate,
};
