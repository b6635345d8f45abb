/* A command tree with one of everything, so that the whole machinery of the command is tested:
   sub-commands, all kinds of options and values, a program to run, a table, progress. */
#include <errno.h>
#include <linux/perf_event.h>

#include "base/fail.h"
#include "cli/cmds.h"
#include "cli/core/bars.h"
#include "cli/core/cli.h"
#include "cli/core/opt.h"
#include "cli/core/progress.h"
#include "cli/core/table.h"
#include "kit/run/probe/probe.h"
#include "kit/text/human_number.h"

enum { FORMAT, OUTPUT, STRICT, DIR_OPT, RUNS };

static const char *const formats[] = {"csv", "jsonl", NULL};

/* Prints the parsed options and arguments, one per line. */
static int run_echo(struct args *args)
{
    const struct opt *opt;

    while ((opt = cli_next_opt(args)))
        printf("option %s%s%s\n", opt->name, args->value ? "=" : "",
               args->value ? args->value : "");
    for (size_t i = 0; i < args->count; i++)
        printf("argument '%s'\n", args->operands[i]);
    printf("json %d quiet %d\n", args->json, args->quiet);
    return EXIT_OK;
}

static int run_table(struct args *args)
{
    static const struct column columns[] = {
        {.title = "name", .fit = FIT_CUT},
        {.title = "time", .right = true},
        {.title = "share", .right = true},
        {.title = ""},
    };
    static const struct {
        const char *name;
        double ns;
        double share;
    } rows[] = {
        {"main", 1.25e9, 1},
        {"a function whose name is very, very long, as those of templates are", 625e6, 0.5},
        {"\u6c49\u5b57\u6f22\u5b57\u6c49\u5b57\u6f22\u5b57\u6c49\u5b57\u6f22\u5b57 wide", 31e6,
         0.025},
        {"e\u0301a\u0308o\u0302 combining", 999.6, 8e-7},
        {"\033[31mnot red\007", 12, 1e-8},
    };
    struct table t;
    struct tch_buf b;

    cli_table_init(&t, &args->out, columns, 4);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tch_buf cell;

        tch_buf_init(&cell, 256);
        cli_table_add(&t, CYAN, rows[i].name);
        tch_add_value(&cell, TCH_NS, rows[i].ns);
        cli_table_add(&t, PLAIN, cell.data);
        tch_buf_clear(&cell);
        tch_add_percent(&cell, rows[i].share);
        cli_table_add(&t, PLAIN, cell.data);
        tch_buf_clear(&cell);
        cli_add_bar(&cell, &args->out, rows[i].share, 8);
        cli_table_add(&t, PLAIN, cell.data);
        tch_buf_release(&cell);
    }
    tch_buf_init(&b, 1 << 20);
    cli_table_print(&t, &b);
    cli_table_release(&t);
    return cli_print(&b);
}

static int run_progress(struct args *args)
{
    struct progress p;

    cli_progress_begin(&p, args, "working", 3);
    cli_progress_step(&p, 1);
    cli_warn("half-way");
    cli_progress_step(&p, 2);
    cli_progress_end(&p);
    puts("done");
    return EXIT_OK;
}

static int open_software_only(uint32_t type, uint64_t config)
{
    (void)config;
    return type == PERF_TYPE_SOFTWARE ? 0 : ENOENT;
}

static int trace_nothing(void)
{
    return EPERM;
}

static int preload_nothing(const char *object, tacho_error *err)
{
    return tch_fail(err, TACHO_EIO, 0, "'%s' is missing", object);
}

/* Runs doctor on a machine in a folder, without tools and without a disk. */
static int run_doctor(struct args *args)
{
    struct tch_machine machine = {
        .root = args->operands[0],
        .work = "/nowhere",
        .perf_open = open_software_only,
        .trace = trace_nothing,
        .no_aslr = trace_nothing,
        .preload = preload_nothing,
    };

    setenv("PATH", "/nowhere", 1);
    return cli_doctor_examine(args, &machine);
}

static const struct arg doctor_args[] = {
    {.name = "ROOT", .help = "a fake machine", .complete = COMPLETE_DIR},
    {.name = NULL},
};

/* cmd_doctor with the members that main() changes. */
static struct cmd cmd_any_doctor;

static const struct opt import_opts[] = {
    {.id = FORMAT,
     .name = "format",
     .letter = 'f',
     .arg = "FORMAT",
     .help = "csv or jsonl",
     .choices = formats},
    {.id = OUTPUT,
     .name = "output",
     .letter = 'o',
     .arg = "FILE",
     .help = "where to",
     .complete = COMPLETE_FILE},
    {.id = STRICT, .name = "strict", .letter = 's', .help = "it's [all]: or nothing"},
    {.name = NULL},
};

static const struct arg import_args[] = {
    {.name = "FILE", .help = "what to read", .complete = COMPLETE_FILE},
    {.name = "DIR", .help = "where to put it", .optional = true, .complete = COMPLETE_DIR},
    {.name = NULL},
};

static const struct cmd cmd_events_import_sample = {
    .name = "import",
    .summary = "read foreign events",
    .usage = "tacho events import [OPTIONS] FILE [DIR]",
    .about = "One paragraph.\n\nAnother one.",
    .opts = import_opts,
    .args = import_args,
    .json = true,
    .run = run_echo,
};

static const struct arg files[] = {
    {.name = "FILE", .help = "events", .many = true, .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct cmd cmd_validate = {
    .name = "validate",
    .summary = "check events",
    .usage = "tacho events validate FILE...",
    .args = files,
    .run = run_echo,
};

static const struct cmd *const event_cmds[] = {&cmd_events_import_sample, &cmd_validate, NULL};

static const struct cmd sample_events = {
    .name = "events",
    .summary = "profile events",
    .usage = "tacho events COMMAND",
    .subs = event_cmds,
};

static const struct cmd cmd_progress = {
    .name = "progress",
    .summary = "draw progress",
    .usage = "tacho progress",
    .run = run_progress,
};

static const struct opt cli_run_opts[] = {
    {.id = DIR_OPT,
     .name = "dir",
     .letter = 'd',
     .arg = "DIR",
     .help = "where",
     .complete = COMPLETE_DIR},
    {.id = RUNS, .name = "runs", .letter = 'n', .arg = "N", .help = "how often"},
    {.name = NULL},
};

static const struct arg run_args[] = {
    {.name = "COMMAND", .help = "what to run", .many = true, .complete = COMPLETE_PROGRAM},
    {.name = NULL},
};

static const struct cmd sample_run = {
    .name = "run",
    .summary = "run a program",
    .usage = "tacho run [OPTIONS] [--] COMMAND...",
    .opts = cli_run_opts,
    .args = run_args,
    .runs_program = true,
    .run = run_echo,
};

static const struct cmd cmd_table = {
    .name = "table",
    .summary = "print a table",
    .usage = "tacho table",
    .run = run_table,
};

static const struct cmd *const commands[] = {
    &cmd_completion, &cmd_any_doctor, &sample_events, &cmd_help,
    &cmd_progress,   &sample_run,     &cmd_table,     NULL,
};

static const struct opt opts[] = {
    {.id = 0, .name = "version", .letter = 'V', .help = "show the version"},
    {.name = NULL},
};

static const struct cmd sample = {
    .name = "tacho",
    .summary = "a sample of everything",
    .usage = "tacho COMMAND",
    .opts = opts,
    .subs = commands,
};

int main(int argc, char **argv)
{
    (void)argc;
    cmd_any_doctor = cmd_doctor;
    cmd_any_doctor.args = doctor_args;
    cmd_any_doctor.run = run_doctor;
    return cli_main(&sample, argv);
}
