/* tacho doctor: runs the probes of the kit and prints what they found. */
#include "cli/cmds.h"
#include "cli/core/opt.h"
#include "cli/core/table.h"
#include "kit/run/probe/probe.h"

enum { OUT_MAX = 1 << 20 };

static const struct column columns[] = {
    {.fit = FIT_WHOLE},
    {.fit = FIT_WHOLE},
    {.fit = FIT_WRAP},
};

static const enum paint paints[] = {
    [TCH_PROBE_OK] = GREEN,
    [TCH_PROBE_WARNING] = YELLOW,
    [TCH_PROBE_MISSING] = RED,
    [TCH_PROBE_NOT_APPLICABLE] = DIM,
};

static void add_probe(struct table *t, const struct tch_probe *probe)
{
    static const char *const marks[] = {
        [TCH_PROBE_OK] = "\u2714",
        [TCH_PROBE_WARNING] = "!",
        [TCH_PROBE_MISSING] = "\u2718",
        [TCH_PROBE_NOT_APPLICABLE] = "\u2013",
    };
    static const char *const ascii[] = {
        [TCH_PROBE_OK] = "ok",
        [TCH_PROBE_WARNING] = "!",
        [TCH_PROBE_MISSING] = "x",
        [TCH_PROBE_NOT_APPLICABLE] = "-",
    };
    char fix[1024];

    cli_table_add(t, paints[probe->status], (t->term->utf8 ? marks : ascii)[probe->status]);
    cli_table_add(t, PLAIN, probe->name);
    cli_table_add(t, PLAIN, probe->found);
    if (!probe->fix)
        return;
    snprintf(fix, sizeof fix, "%s %s", t->term->utf8 ? "\u2192" : "->", probe->fix);
    cli_table_line(t, 1, CYAN, fix);
}

/* Adds the heading of a probe's group, and of its chapter, unless the probe before was in the same
   one. */
static void add_headings(struct table *t, const struct tch_probe_group *before,
                         const struct tch_probe_group *group)
{
    static const char *const chapters[] = {
        [TCH_PROBE_MEASURES] = "WHAT THIS MACHINE CAN MEASURE",
        [TCH_PROBE_DISTURBS] = "WHAT DISTURBS IT",
        [TCH_PROBE_CAN_DO] = "WHAT TACHO CAN DO HERE",
    };

    if (before == group)
        return;
    if (before)
        cli_table_line(t, 0, PLAIN, "");
    if (!before || before->chapter != group->chapter) {
        cli_table_line(t, 0, BOLD, chapters[group->chapter]);
        cli_table_line(t, 0, PLAIN, "");
    }
    cli_table_line(t, 0, BOLD, group->title);
}

static void add_counts(struct tch_buf *b, const struct tch_probes *probes, const struct term *term)
{
    static const char *const words[][2] = {
        [TCH_PROBE_OK] = {"ok", "ok"},
        [TCH_PROBE_WARNING] = {"warning", "warnings"},
        [TCH_PROBE_MISSING] = {"missing", "missing"},
        [TCH_PROBE_NOT_APPLICABLE] = {"not applicable", "not applicable"},
    };

    for (int i = 0; i < TCH_PROBE_STATUSES; i++) {
        size_t count = tch_probes_count(probes, (enum tch_probe_status)i);
        char text[64];

        snprintf(text, sizeof text, "%zu %s", count, words[i][count != 1]);
        tch_buf_adds(b, i > 0 ? ", " : "");
        cli_add_painted(b, term, count > 0 ? paints[i] : PLAIN, text);
    }
    tch_buf_addc(b, '\n');
}

/* Adds all findings; with --quiet only those that need attention. */
static void add_report(struct tch_buf *b, const struct tch_probes *probes, const struct args *args)
{
    const struct tch_probe_group *group = NULL;
    struct table t;

    cli_table_init(&t, &args->out, columns, 3);
    t.indent = 2;
    for (size_t i = 0; i < probes->count; i++) {
        const struct tch_probe *probe = &probes->items[i];

        if (args->quiet && !tch_probe_asks(probe->status))
            continue;
        add_headings(&t, group, probe->group);
        add_probe(&t, probe);
        group = probe->group;
    }
    if (group)
        cli_table_line(&t, 0, PLAIN, "");
    cli_table_print(&t, b);
    cli_table_release(&t);
    add_counts(b, probes, &args->out);
}

int cli_doctor_examine(struct args *args, const struct tch_machine *machine)
{
    bool fail_on_warn = false;
    struct tch_probes probes;
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_WORK;

    while (cli_next_opt(args))
        fail_on_warn = true;
    if (tch_probes_run(&probes, machine, &err) < 0) {
        cli_complain(&err, "cannot examine this machine");
        goto out;
    }
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_probes_json(&b, &probes);
    else
        add_report(&b, &probes, args);
    status = cli_print(&b);
    if (status == EXIT_OK && fail_on_warn &&
        tch_probes_count(&probes, TCH_PROBE_WARNING) + tch_probes_count(&probes, TCH_PROBE_MISSING))
        status = EXIT_WARN;
out:
    tch_probes_release(&probes);
    return status;
}

static int run_doctor(struct args *args)
{
    struct tch_machine machine;

    tch_machine_init(&machine);
    return cli_doctor_examine(args, &machine);
}

static const struct opt opts[] = {
    {.name = "fail-on-warn", .help = "exit with 3 if there is a warning or something is missing"},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho doctor --quiet", "Show only warnings and what is missing."},
    {"tacho doctor --json | jq -r '.probes[].fix // empty'",
     "Print only the commands that fix something."},
    {NULL, NULL},
};

static const struct exit_note exits[] = {
    {EXIT_WARN, "there is a warning or something is missing, and --fail-on-warn was given"},
    {0, NULL},
};

static const struct man_item variables[] = {
    {"PATH", "Where doctor searches for tools."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"/proc, /sys", "Describe the machine."},
    {NULL, NULL},
};

const struct cmd cmd_doctor = {
    .name = "doctor",
    .summary = "show what this machine can measure and what disturbs it",
    .usage = "tacho doctor [--json] [--quiet] [--fail-on-warn]",
    .about =
        "Checks performance events, power sources, clocks, memory accounting and tools, and then "
        "everything that makes benchmark results vary. At the end it lists which features of tacho "
        "are available, degraded or absent here. Each finding is ok, a warning, missing, or "
        "not applicable to this machine. For a warning or something missing, doctor prints the "
        "command that fixes it. It changes nothing itself; you run the commands.",
    .opts = opts,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_doctor,
    .variables = variables,
    .files = files,
};
