/* Finds the baselines for the sub-commands of tacho baseline. */
#include <errno.h>
#include <unistd.h>

#include <tacho/fingerprint.h>

#include "cli/cmds.h"
#include "cmd_baseline_parts.h"

int cli_baseline_find_folder(struct gate_options *o, char dir[PATH_MAX])
{
    tacho_error err;
    int status = EXIT_OK;

    snprintf(dir, PATH_MAX, "%s", TCH_BASELINES);
    if (!o->config && access(TCH_SETTINGS_FILE, F_OK) != 0)
        return EXIT_OK;
    status = cli_gate_read_settings(o);
    if (status == EXIT_OK && tch_gate_baselines(&o->settings, o->root, dir, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    }
    return status;
}

int cli_baseline_place_parse(struct place *p, struct args *args)
{
    char *environment = NULL;
    size_t len;
    tacho_error err;
    int status;

    *p = (struct place){.options = cli_gate_options_new()};
    if (!p->options)
        return EXIT_WORK;
    status = cli_set_opts(args, p, NULL);
    p->options->config = p->config;
    if (!p->given_dir)
        status = cli_baseline_find_folder(p->options, p->dir);
    else if (snprintf(p->dir, sizeof p->dir, "%s", p->given_dir) >= PATH_MAX)
        status = cli_wrong_usage(args, "the path of --dir is too long");
    if (status != EXIT_OK)
        return status;
    if (tacho_environment(NULL, &environment, &len, &err) < 0 ||
        tacho_machine_class(environment, len, &p->own_class, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    } else if (!p->class) {
        p->class = p->own_class;
    }
    free(environment);
    return status;
}

void cli_baseline_place_release(struct place *p)
{
    free(p->own_class);
    cli_gate_options_free(p->options);
}

void cli_baseline_complain(const struct place *p, const char *path, const char *bench,
                           const char *machine_class, const tacho_error *err)
{
    bool elsewhere = strcmp(machine_class, p->own_class) != 0;

    if (err->code == TACHO_EPARSE)
        cli_complain(NULL,
                     "cannot read '%s', which was not changed: %s; to start over%s%s: tacho "
                     "baseline save --replace --bench %s",
                     path, err->message, elsewhere ? ", on a machine of class " : "",
                     elsewhere ? machine_class : "", bench);
    else
        cli_complain(err, "cannot read '%s', which was not changed", path);
}

static int open_baseline(const struct place *p, const char *bench, struct tch_baseline *b,
                         char path[PATH_MAX], int *lock)
{
    tacho_error err = {0};

    if (tch_baseline_path(path, p->dir, bench, p->class, &err) < 0 ||
        (lock && tch_baseline_lock(path, lock, &err) < 0) || tch_baseline_read(b, path, &err) < 0 ||
        tch_baseline_check(b, bench, p->class, &err) < 0) {
        if (err.system_errno == ENOENT)
            cli_complain(NULL,
                         "'%s' has no baseline for %s in '%s'; 'tacho baseline list' shows all, "
                         "'tacho baseline save' makes one",
                         bench, p->class, p->dir);
        else
            cli_baseline_complain(p, path, bench, p->class, &err);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

int cli_with_baseline(struct args *args, bool changes,
                      int (*act)(struct tch_baseline *b, const char *path, const struct args *args))
{
    int lock = -1;
    struct place place;
    struct tch_baseline b = {0};
    char path[PATH_MAX];
    int status = cli_baseline_place_parse(&place, args);

    if (status == EXIT_OK)
        status = open_baseline(&place, args->operands[0], &b, path, changes ? &lock : NULL);
    if (status == EXIT_OK)
        status = act(&b, path, args);
    if (lock >= 0)
        close(lock);
    tch_baseline_release(&b);
    cli_baseline_place_release(&place);
    return status;
}

const struct opt cli_baseline_place_opts[] = {
    {.name = "config",
     .letter = 'c',
     .arg = "FILE",
     .help = "read the folder of the baselines from this file (default tacho.yaml)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct place, config)},
    {.name = "dir",
     .arg = "DIR",
     .help = "folder of the baselines (default .tacho/baselines)",
     .complete = COMPLETE_DIR,
     CLI_TEXT(struct place, given_dir)},
    {.name = "machine-class",
     .arg = "CLASS",
     .help = "use the baseline of this machine class (default: that of this machine)",
     CLI_TEXT(struct place, class)},
    {.name = NULL},
};
