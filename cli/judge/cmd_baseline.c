/*
 * tacho baseline: manages the baselines that later runs are judged against. Its longer sub-commands
 * have files of their own.
 */
#include <errno.h>
#include <unistd.h>

#include "cli/cmds.h"
#include "cmd_baseline_parts.h"

static int promote(struct tch_baseline *b, const char *path, const struct args *args)
{
    const char *id = args->count > 1 ? args->operands[1] : "latest";
    const struct tch_occasion *occasion = tch_baseline_find(b, id);
    tacho_error err;

    if (!occasion) {
        cli_complain(NULL, "'%s' has no occasion '%s'; 'tacho baseline show %s' lists them", path,
                     id, b->bench);
        return EXIT_WORK;
    }
    if (tch_baseline_promote(b, occasion, &err) < 0 || tch_baseline_write(b, path, &err) < 0) {
        cli_complain(&err, "cannot promote '%s'", id);
        return EXIT_WORK;
    }
    printf("%s: the reference is %s of %s\n", b->bench, occasion->id, occasion->at);
    return EXIT_OK;
}

static int run_promote(struct args *args)
{
    return cli_with_baseline(args, true, promote);
}

static int run_remove(struct args *args)
{
    struct place place;
    char path[PATH_MAX];
    tacho_error err;
    int lock = -1;
    int status = cli_baseline_place_parse(&place, args);

    if (status == EXIT_OK &&
        (tch_baseline_path(path, place.dir, args->operands[0], place.class, &err) < 0 ||
         (tch_baseline_lock(path, &lock, &err) < 0 && err.system_errno != ENOENT))) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    } else if (status == EXIT_OK && unlink(path) < 0) {
        char why[128];

        cli_complain(NULL, "cannot remove '%s': %s", path, strerror_r(errno, why, sizeof why));
        status = EXIT_WORK;
    } else if (status == EXIT_OK) {
        printf("removed %s\n", path);
    }
    if (lock >= 0)
        close(lock);
    cli_baseline_place_release(&place);
    return status;
}

static const struct arg bench_arg[] = {
    {.name = "BENCH", .help = "name of the bench", .complete = COMPLETE_BENCH},
    {.name = NULL},
};

static const struct arg promote_args[] = {
    {.name = "BENCH", .help = "name of the bench", .complete = COMPLETE_BENCH},
    {.name = "OCCASION",
     .help = "id of the occasion, or the start of it (default: the latest)",
     .optional = true},
    {.name = NULL},
};

static const struct cmd promote_cmd = {
    .name = "promote",
    .summary = "make an occasion the reference of the gate",
    .usage = "tacho baseline promote [OPTIONS] BENCH [OCCASION]",
    .about = "From then on the gate compares with this occasion. Use it after an intended change "
             "of cost.",
    .opts = cli_baseline_place_opts,
    .args = promote_args,
    .run = run_promote,
};

static const struct cmd remove_cmd = {
    .name = "remove",
    .summary = "remove the baseline of a bench on one machine class",
    .usage = "tacho baseline remove [OPTIONS] BENCH",
    .opts = cli_baseline_place_opts,
    .args = bench_arg,
    .run = run_remove,
};

static const struct cmd *const subs[] = {&cmd_baseline_list, &promote_cmd,       &remove_cmd,
                                         &cmd_baseline_save, &cmd_baseline_show, NULL};

static const struct example examples[] = {
    {"tacho baseline save", "Measure the benches of tacho.yaml and store the values."},
    {"tacho baseline show sort", "Show what the bench cost on each occasion."},
    {"tacho baseline promote sort", "Make the latest occasion the reference."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"tacho.yaml", "The settings: benches, and the folder of their baselines."},
    {".tacho/baselines/BENCH/CLASS.json",
     "A baseline (schema tacho.baseline.v1), meant to be committed."},
    {NULL, NULL},
};

const struct cmd cmd_baseline = {
    .name = "baseline",
    .summary = "save, list, show, promote and remove baselines of the gate",
    .usage = "tacho baseline list|promote|remove|save|show [OPTIONS] [ARGUMENTS]",
    .about =
        "A baseline is one JSON file per bench and machine class in .tacho/baselines, meant to be "
        "committed. It contains the values of the latest occasions. One of them is the reference "
        "that the gate compares with.",
    .examples = examples,
    .subs = subs,
    .files = files,
};
