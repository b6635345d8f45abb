/* The options of `tacho sweep`. */
#include "sweep_options.h"

#include <unistd.h>

#include "base/number.h"
#include "run/folder.h"
#include "run/words.h"
#include "sweep/fit.h"
#include "sweep_file.h"

enum {
    GRID = RUN_OPTS_END,
    RANGE,
    REPEAT,
    BASELINE,
    NAME,
    OUT,
    SEED,
    FRESH,
    RETRY,
    PARETO,
    COST,
    ALONG,
    EXPECT,
    FILE_NAME,
};

const struct opt sweep_opts[] = {
    {.id = GRID,
     .name = "grid",
     .letter = 'g',
     .arg = "NAME=VALUE,...",
     .help = "a parameter and its values; give several for all combinations"},
    {.id = RANGE,
     .name = "range",
     .arg = "NAME=FROM:TO[:STEP]",
     .help = "a parameter from FROM to TO, adding STEP (default 1), or log10 to multiply by 10"},
    {.id = BASELINE,
     .name = "baseline",
     .letter = 'b',
     .arg = "LINE",
     .help = "a command run among the cells that they are compared with; may take parameters too"},
    {.id = REPEAT,
     .name = "repeat",
     .letter = 'n',
     .arg = "N",
     .help = "N runs of each cell, one a block (default 10)"},
    {.id = NAME,
     .name = "name",
     .arg = "NAME",
     .help = "the sweep's name (default: that of the program)"},
    {.id = OUT,
     .name = "out",
     .letter = 'o',
     .arg = "DIR",
     .help = "where its folder goes (default tacho-out)",
     .complete = COMPLETE_DIR},
    {.id = SEED, .name = "seed", .arg = "N", .help = "of the order (default 1)"},
    {.id = FRESH, .name = "fresh", .help = "start over, whatever is there"},
    {.id = RETRY, .name = "retry-failed", .help = "run cells again that failed before"},
    {.id = PARETO,
     .name = "pareto",
     .arg = "MEASURE,...",
     .help = "choose the best by these, max:MEASURE where more is better (default "
             "wall_ns,max_rss_bytes)"},
    {.id = COST,
     .name = "cost",
     .arg = "MEASURE",
     .help = "what figures and fits are of (default wall_ns)"},
    {.id = ALONG,
     .name = "along",
     .arg = "NAME",
     .help = "the parameter that the cost is fitted to; needed where several are numeric"},
    {.id = EXPECT,
     .name = "expect",
     .arg = "GROWTH",
     .help = "1, 'log n', n, 'n log n', n^2 or n^3; '<= n' for at most: end with 2 otherwise"},
    {.id = FILE_NAME,
     .name = "file",
     .letter = 'f',
     .arg = "FILE",
     .help = "take the section 'sweep' of FILE (default, without a command: tacho.yaml)",
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static int take_grid(struct sweep_options *o, const struct args *args, bool range)
{
    tacho_error err;
    int status = range ? tch_grid_add_range(&o->grid, args->value, &err)
                       : tch_grid_add(&o->grid, args->value, &err);

    if (status == TACHO_ENOMEM) {
        complain(NULL, "out of memory");
        return EXIT_WORK;
    }
    return status < 0 ? wrong_usage(args, "%s", err.message) : EXIT_OK;
}

static int take_baseline(struct sweep_options *o, const struct args *args)
{
    tacho_error err;

    free(o->baseline);
    o->baseline = NULL;
    if (tch_words_split(args->value, &o->baseline, &err) < 0)
        return wrong_usage(args, "cannot split '%s': %s", args->value, err.message);
    o->plan.baseline = args->value;
    o->plan.baseline_argv = (const char *const *)o->baseline;
    return EXIT_OK;
}

static int take_name(struct sweep_options *o, const struct args *args)
{
    tch_folder_name(o->name, sizeof o->name, args->value);
    if (strcmp(o->name, args->value) != 0)
        return wrong_value(args, "name", "letters, digits, '.', '_' and '-'");
    o->plan.name = args->value;
    return EXIT_OK;
}

static int take_expect(struct sweep_options *o, const struct args *args)
{
    struct tch_expect expect;
    tacho_error err;

    o->expect = args->value;
    return tch_expect_parse(args->value, &expect, &err) < 0 ? wrong_usage(args, "%s", err.message)
                                                            : EXIT_OK;
}

int sweep_options_take(struct sweep_options *o, const struct args *args, const struct opt *opt)
{
    switch (opt->id) {
    case GRID:
    case RANGE:
        return take_grid(o, args, opt->id == RANGE);
    case BASELINE:
        return take_baseline(o, args);
    case REPEAT:
        return take_count(args, "repeat", 1, &o->plan.repeat);
    case NAME:
        return take_name(o, args);
    case SEED:
        if (tch_parse_u64(args->value, UINT64_MAX, &o->plan.seed) < 0)
            return wrong_value(args, "seed", "a number");
        break;
    case OUT:
        o->run.plan.out = args->value;
        break;
    case FRESH:
        o->plan.fresh = true;
        break;
    case RETRY:
        o->plan.retry = true;
        break;
    case PARETO:
        o->pareto = args->value;
        break;
    case COST:
        o->cost = args->value;
        break;
    case ALONG:
        o->along = args->value;
        break;
    case EXPECT:
        return take_expect(o, args);
    case FILE_NAME:
        break;
    default:
        return run_options_take(&o->run, args, opt);
    }
    return EXIT_OK;
}

static int settle(struct sweep_options *o, const struct args *args)
{
    char **words = args->count > 0 ? args->operands : o->words;
    const char *slash;

    if (!words)
        return wrong_usage(args, "there is no command: tacho sweep --grid n=1,2 -- COMMAND {n}");
    if (o->grid.count == 0)
        return wrong_usage(args, "there is no parameter: --grid NAME=VALUE,... or --range");
    o->line = join_words(words);
    if (!o->line) {
        complain(NULL, "out of memory");
        return EXIT_WORK;
    }
    o->plan.line = o->line;
    o->plan.argv = (const char *const *)words;
    if (!o->plan.name) {
        slash = strrchr(words[0], '/');
        tch_folder_name(o->name, sizeof o->name, slash ? slash + 1 : words[0]);
        o->plan.name = o->name;
    }
    o->plan.grid = &o->grid;
    o->plan.run = o->run.plan;
    return EXIT_OK;
}

/* Parameters of the command line, and which file: before all else. */
static int take_first(struct sweep_options *o, struct args args, const char **file)
{
    const struct opt *opt;
    int status = EXIT_OK;

    while (status == EXIT_OK && (opt = next_opt(&args)))
        if (opt->id == FILE_NAME)
            *file = args.value;
        else if (opt->id == GRID || opt->id == RANGE)
            status = take_grid(o, &args, opt->id == RANGE);
    o->given_params = o->grid.count;
    return status;
}

/* What the file says first, then what the command line does: the later counts. */
int sweep_options_parse(struct sweep_options *o, struct args *args)
{
    const char *file = NULL;
    const struct opt *opt;
    int status;

    *o = (struct sweep_options){.plan = {.repeat = TCH_SWEEP_REPEAT, .seed = 1}};
    status = run_options_init(&o->run, args);
    if (status == EXIT_OK)
        status = take_first(o, *args, &file);
    if (!file && args->count == 0 && access("tacho.yaml", F_OK) == 0)
        file = "tacho.yaml";
    if (status == EXIT_OK && file)
        status = sweep_file_read(o, args, file);
    while (status == EXIT_OK && (opt = next_opt(args)))
        if (opt->id != GRID && opt->id != RANGE)
            status = sweep_options_take(o, args, opt);
    return status == EXIT_OK ? settle(o, args) : status;
}

void sweep_options_release(struct sweep_options *o)
{
    tch_grid_release(&o->grid);
    run_options_release(&o->run);
    for (size_t i = 0; i < o->kept_count; i++)
        free(o->kept[i]);
    tch_yaml_release(&o->yaml);
    free(o->words);
    free(o->line);
    free(o->baseline);
}
