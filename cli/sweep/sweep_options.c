/* The options of `tacho sweep`. */
#include "sweep_options.h"

#include <unistd.h>

#include "base/secret.h"
#include "kit/config/shell_words.h"
#include "kit/result/run_folder.h"
#include "kit/sweep/growth_fit.h"

/* Ids of the options that this file handles itself. The ids of cli_plan_opts are below 100. */
enum { COMMAND = 100, GRID, RANGE, FILE_NAME };

static int take_grid(void *into, const struct args *args, const struct opt *opt)
{
    struct sweep_options *o = into;
    tacho_error err;
    int status = opt->id == RANGE ? tch_grid_add_range(&o->grid, args->value, &err)
                                  : tch_grid_add(&o->grid, args->value, &err);

    if (status == TACHO_ENOMEM)
        return cli_no_memory();
    return status < 0 ? cli_wrong_usage(args, "%s", err.message) : EXIT_OK;
}

static int take_name(void *into, const struct args *args, const struct opt *opt)
{
    struct sweep_options *o = into;

    tch_folder_name(o->name, sizeof o->name, args->value);
    if (strcmp(o->name, args->value) != 0)
        return cli_wrong_value(args, opt->name, TCH_FOLDER_NAMES);
    o->plan.name = args->value;
    return EXIT_OK;
}

static int take_expect(void *into, const struct args *args, const struct opt *opt)
{
    struct tch_expect expect;
    tacho_error err;

    if (tch_expect_parse(args->value, &expect, &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    return cli_set_field(args, opt, into);
}

const struct opt cli_sweep_opts[] = {
    {.name = "command",
     .letter = 'c',
     .arg = "LINE",
     .help = "run LINE, split into words as by a shell",
     .id = COMMAND,
     CLI_TEXT(struct sweep_options, command)},
    {.name = "grid",
     .letter = 'g',
     .arg = "NAME=VALUE,...",
     .help = "run the command with each VALUE of parameter NAME; repeat for all combinations",
     .id = GRID,
     .take = take_grid},
    {.name = "range",
     .arg = "NAME=FROM:TO[:STEP]",
     .help =
         "run the command with NAME from FROM to TO, adding STEP, or multiplying by 10 for a STEP "
         "of log10 (default 1)",
     .id = RANGE,
     .take = take_grid},
    {.name = "baseline",
     .letter = 'b',
     .arg = "LINE",
     .help = "compare the cells with this command, which may contain parameters",
     CLI_TEXT(struct sweep_options, plan.baseline)},
    {.name = "repeat",
     .letter = 'n',
     .arg = "N",
     .help = "run each cell N times, once per block (default 10)",
     .set = CLI_SET(struct sweep_options, plan.repeat, .kind = TCH_SET_U64, .least = 1,
                    .most = TCH_RUNS_MAX, .wants = "a number from 1 to 1000000")},
    {.name = "name",
     .arg = "NAME",
     .help = "name the sweep (default: the program's name)",
     .take = take_name},
    {.name = "out-dir",
     .letter = 'o',
     .arg = "DIR",
     .help = "write the sweep's folder into DIR (default tacho-out)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct sweep_options, run.plan.out)},
    {.name = "seed",
     .arg = "N",
     .help = "draw the random order from seed N (default 1)",
     .set = CLI_SET(struct sweep_options, plan.seed, .kind = TCH_SET_U64, .wants = "a number")},
    {.name = "fresh",
     .help = "start over instead of continuing an earlier sweep",
     CLI_FLAG(struct sweep_options, plan.fresh)},
    {.name = "retry-failed",
     .help = "run failed cells again",
     CLI_FLAG(struct sweep_options, plan.retry)},
    {.name = "pareto",
     .arg = "MEASURE,...",
     .help = "choose the best cells by these measures; max:MEASURE if more is better (default: the "
             "cost)",
     CLI_TEXT(struct sweep_options, asked.pareto)},
    {.name = "best-per",
     .arg = "NAME,...",
     .help = "choose the best cells for each value of these parameters",
     CLI_TEXT(struct sweep_options, asked.best_per)},
    {.name = "cost",
     .arg = "MEASURE",
     .help = "draw and fit this measure, named as in run.json or tacho compare (default wall)",
     CLI_TEXT(struct sweep_options, asked.cost)},
    {.name = "along",
     .arg = "NAME",
     .help = "fit the cost to this parameter; needed if several are numeric",
     CLI_TEXT(struct sweep_options, asked.along)},
    {.name = "expect",
     .arg = "GROWTH",
     .help = "exit with 2 unless the cost grows like 1, 'log n', n, 'n log n', n^2 or n^3; '<= n' "
             "for at most n",
     CLI_TEXT(struct sweep_options, asked.expect),
     .take = take_expect},
    {.name = "raw",
     .help = "do not escape names in results.csv that a spreadsheet would take for a formula",
     CLI_FLAG(struct sweep_options, asked.raw)},
    {.name = "file",
     .letter = 'f',
     .arg = "FILE",
     .help = "read the section 'sweep' of FILE (default without a command: tacho.yaml)",
     .complete = COMPLETE_FILE,
     .id = FILE_NAME},
    {.name = NULL},
};

/* Masks secrets in the line of the command (0) or of the baseline (1), for display. */
static int show_line(struct sweep_options *o, int which, const char *line, const char **shown)
{
    *shown = o->lines[which] = tch_secret_masked_line(line, o->run.plan.keep_env);
    return *shown ? EXIT_OK : cli_no_memory();
}

/* Splits the line of the command (0) or of the baseline (1) into argv. */
static int split_line(struct sweep_options *o, const struct args *args, int which, const char *line,
                      const char *const **argv, const char **shown)
{
    int status = show_line(o, which, line, shown);

    if (status != EXIT_OK)
        return status;
    if (o->run.plan.shell) {
        const char *const by_shell[] = {"sh", "-c", line, NULL};

        memcpy(o->by_shell[which], by_shell, sizeof by_shell);
        *argv = o->by_shell[which];
        return EXIT_OK;
    }
    status = cli_split_command(args, line, *shown, &o->line_words[which]);
    *argv = (const char *const *)o->line_words[which];
    return status;
}

/* Takes the command from the command line or, without one there, from the file. */
static int choose_command(struct sweep_options *o, const struct args *args)
{
    char **words = args->count > 0 ? args->operands : o->words;
    const char *line = o->command ? o->command : args->count > 0 ? NULL : o->file_line;
    char *joined;
    int status;

    if (args->count > 0 && o->command)
        return cli_wrong_usage(args, "give the command by -c or after the options, not both");
    if (!words && !line)
        return cli_wrong_usage(
            args, "there is no command; add it: tacho sweep --grid n=1,2 -- COMMAND {n}");
    if (line)
        return split_line(o, args, 0, line, &o->plan.argv, &o->plan.line);
    joined = cli_join_words(words);
    status = joined ? show_line(o, 0, joined, &o->plan.line) : cli_no_memory();
    free(joined);
    if (status != EXIT_OK)
        return status;
    if (o->run.plan.shell)
        return cli_wrong_usage(args, "--shell is for a command given by -c: -c '%s'", o->plan.line);
    o->plan.argv = (const char *const *)words;
    return EXIT_OK;
}

static int finish_plan(struct sweep_options *o, const struct args *args)
{
    bool shell = o->run.plan.shell;
    int status = choose_command(o, args);
    tacho_error err;

    if (status == EXIT_OK && o->grid.count == 0)
        status =
            cli_wrong_usage(args, "there is no parameter; add --grid NAME=VALUE,... or --range");
    if (status == EXIT_OK && o->plan.baseline)
        status =
            split_line(o, args, 1, o->plan.baseline, &o->plan.baseline_argv, &o->plan.baseline);
    if (status == EXIT_OK)
        status = cli_run_options_check(&o->run, args);
    if (status != EXIT_OK)
        return status;
    if (!o->plan.name) { /* named by the program, or by the beginning of a shell line */
        tch_folder_name_command(o->name, sizeof o->name, o->plan.argv[0],
                                shell ? o->plan.line : NULL);
        o->plan.name = o->name;
    }
    o->plan.grid = &o->grid;
    o->plan.run = o->run.plan;
    if (tch_sweep_asked_check(&o->asked, &o->plan, &err) < 0)
        return cli_wrong_usage(args, "%s", err.message);
    return EXIT_OK;
}

/* Reads the parameters, the command and the file's name from the command line, before everything
   else. */
static int take_grid_and_file(struct sweep_options *o, struct args args, const char **file)
{
    const struct opt *opt;
    int status = EXIT_OK;

    while (status == EXIT_OK && (opt = cli_next_opt(&args)))
        if (opt->id == FILE_NAME)
            *file = args.value;
        else if (opt->id == COMMAND)
            o->command = args.value;
        else if (opt->id == GRID || opt->id == RANGE)
            status = take_grid(o, &args, opt);
    o->given_params = o->grid.count;
    return status;
}

/* Applies the file first, then the command line, which overrides it. */
int cli_sweep_options_parse(struct sweep_options *o, struct args *args)
{
    const char *file = NULL;
    const struct opt *opt;
    bool found;
    int status;

    *o = (struct sweep_options){.plan = {.repeat = TCH_SWEEP_REPEAT, .seed = 1}};
    status = cli_run_options_init(&o->run, args);
    o->run.in_sweep = true;
    if (status == EXIT_OK)
        status = take_grid_and_file(o, *args, &file);
    found = !file && args->count == 0 && !o->command && access("tacho.yaml", F_OK) == 0;
    if (status == EXIT_OK && (file || found))
        status = cli_sweep_file_read(o, args, found ? "tacho.yaml" : file, found);
    while (status == EXIT_OK && (opt = cli_next_opt(args)))
        if (opt->id != GRID && opt->id != RANGE)
            status = cli_set_opt(args, opt, o, &o->run);
    return status == EXIT_OK ? finish_plan(o, args) : status;
}

void cli_sweep_options_release(struct sweep_options *o)
{
    tch_grid_release(&o->grid);
    cli_run_options_release(&o->run);
    for (size_t i = 0; i < o->kept_count; i++)
        free(o->kept[i]);
    tch_yaml_release(&o->yaml);
    free(o->words);
    free(o->lines[0]);
    free(o->lines[1]);
    free(o->line_words[0]);
    free(o->line_words[1]);
}
