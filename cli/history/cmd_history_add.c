/* tacho history add: adds run folders to the store. */
#include <sys/stat.h>

#include "cli/cmds.h"
#include "history_parts.h"
#include "kit/file/found_file.h"

enum { DEEPEST = 8 };

struct adding {
    struct tch_store *store;
    const char *folder; /* the one that is searched */
    int depth;
    size_t fresh;
    size_t known;
    bool failed;
};

static void add_run(struct adding *a, const char *folder)
{
    bool added;
    tacho_error err;

    if (tch_store_add(a->store, folder, &added, &err) < 0) {
        cli_complain(&err, "cannot add '%s'", folder);
        a->failed = true;
        return;
    }
    a->fresh += added;
    a->known += !added;
}

static bool is_folder(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void add_folder(struct adding *a, const char *folder);

/* Links are not followed: `latest` is a run that has a folder, too. */
static int add_entry(void *ctx, const char *name, tacho_error *err)
{
    struct adding *a = ctx;
    char path[PATH_MAX];

    (void)err;
    if (snprintf(path, sizeof path, "%s/%s", a->folder, name) < PATH_MAX && is_folder(path))
        add_folder(a, path);
    return 0;
}

/* Adds a run folder, or all those below a folder. */
static void add_folder(struct adding *a, const char *folder)
{
    const char *searched = a->folder;
    tacho_error err;

    if (tch_found_regular(folder, "run.json", NULL) == 1) {
        add_run(a, folder);
        return;
    }
    if (a->depth == DEEPEST)
        return;
    a->folder = folder;
    a->depth++;
    if (tch_found_each(folder, ".", add_entry, a, &err) < 0) {
        cli_complain(&err, "cannot search '%s'", folder);
        a->failed = true;
    }
    a->depth--;
    a->folder = searched;
}

/* Adds all runs. Those that cannot be added are named, and the others are added. */
static int add_all(struct args *args, struct tch_store *store, const char *path)
{
    struct adding a = {.store = store};
    struct tch_buf b;

    for (size_t i = 0; i < args->count; i++) {
        size_t before = a.fresh + a.known;
        bool failed = a.failed;

        a.failed = false;
        add_folder(&a, args->operands[i]);
        if (a.fresh + a.known == before && !a.failed) {
            cli_complain(NULL, "there is no run folder in '%s'", args->operands[i]);
            a.failed = true;
        }
        a.failed = a.failed || failed;
    }
    tch_buf_init(&b, 2 * PATH_MAX);
    tch_buf_addf(&b, "%zu run%s added", a.fresh, tch_plural(a.fresh));
    if (a.known > 0)
        tch_buf_addf(&b, ", %zu %s already there", a.known, a.known == 1 ? "was" : "were");
    tch_buf_addf(&b, ": %s\n", path);
    if (args->quiet)
        tch_buf_clear(&b);
    return cli_print(&b) == EXIT_OK && !a.failed ? EXIT_OK : EXIT_WORK;
}

static int run_add(struct args *args)
{
    struct history_job job = {0};
    struct tch_store store;
    char path[PATH_MAX];
    int status = cli_set_opts(args, &job, NULL);

    if (status == EXIT_OK)
        status = cli_history_open(&store, job.store, true, path);
    if (status != EXIT_OK)
        return status;
    status = add_all(args, &store, path);
    tch_store_close(&store);
    return status;
}

static const struct opt opts[] = {
    {.name = "store",
     .arg = "PATH",
     .help = "add to this store (default: " TCH_STORE_FILE " here or in a folder above, otherwise "
             "in the top folder of the repository)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct history_job, store)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "RUN",
     .help = "a run folder, or a folder with run folders: of a sweep, a gate, an import",
     .many = true,
     .complete = COMPLETE_RUN},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho run -n 20 --name parse -- ./parse input; tacho history add tacho-out/parse/latest",
     "Measure a command and keep the run in the history."},
    {"tacho history add tacho-out", "Add all runs below a folder."},
    {NULL, NULL},
};

const struct cmd cmd_history_add = {
    .name = "add",
    .summary = "add run folders to the history",
    .usage = "tacho history add [OPTIONS] RUN...",
    .about = "Adding a run again changes nothing: its key is the SHA-256 of its run.json. A run "
             "is added whole or not at all.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .run = run_add,
};
