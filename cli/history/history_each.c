/* Finds the series that log, show and trend are about. */
#include <errno.h>
#include <string.h>

#include "base/json_write.h"
#include "cli/cmds.h"
#include "history_parts.h"

enum { JSON_MAX = 1 << 28 };

const struct opt cli_history_opts[] = {
    {.name = "store",
     .arg = "PATH",
     .help = "use this store (default: " TCH_STORE_FILE " here or in a folder above)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct history_job, store)},
    {.name = "branch",
     .arg = "REF",
     .help = "use the commits of this branch, in the order of its first parents (default: HEAD)",
     .complete = COMPLETE_REF,
     CLI_TEXT(struct history_job, branch)},
    {.name = "class",
     .arg = "CLASS",
     .help = "only runs on machines of this class",
     CLI_TEXT(struct history_job, machine_class)},
    {.name = "all",
     .letter = 'a',
     .help = "also metrics that are not judged by default, such as page faults",
     CLI_FLAG(struct history_job, all)},
    {.name = "dirty",
     .help = "also runs whose files differed from their commit",
     CLI_FLAG(struct history_job, dirty)},
    {.name = NULL},
};

const struct arg cli_history_args[] = {
    {.name = "BENCH[.METRIC]",
     .help = "only this bench, or this metric of it",
     .optional = true,
     .complete = COMPLETE_BENCH},
    {.name = NULL},
};

int cli_history_open(struct tch_store *store, const char *where, bool create, char path[PATH_MAX])
{
    tacho_error err;

    if (where)
        snprintf(path, PATH_MAX, "%s", where);
    else if (tch_store_find(path, &err) < 0) {
        cli_complain(&err, "cannot find the store");
        return EXIT_WORK;
    }
    if (tch_store_open(store, path, create, &err) == 0)
        return EXIT_OK;
    if (err.system_errno == ENOENT && !create)
        cli_complain(NULL, "there is no store '%s'; 'tacho history add RUN...' makes it", path);
    else
        cli_complain(&err, "cannot open the store");
    return EXIT_WORK;
}

/* Returns whether the user asked for a series: all, its bench, or its bench and metric. */
static bool wanted(const struct tch_store_series *s, const struct history_job *job,
                   const char *name)
{
    size_t len = strlen(s->bench);

    if (job->machine_class && strcmp(s->machine_class, job->machine_class) != 0)
        return false;
    if (name && strncmp(name, s->bench, len) == 0 && name[len] == '.' &&
        strcmp(name + len + 1, s->metric.name) == 0)
        return true;
    return (!name || strcmp(name, s->bench) == 0) && (job->all || s->metric.gated);
}

struct looping {
    struct tch_store store;
    struct tch_commit_order order;
    const struct history_job *job;
    const char *name; /* BENCH[.METRIC], or NULL */
    history_each *each;
    void *ctx;
    struct tch_buf json;
    bool as_json;
    bool points;
    size_t found;
};

static int one_series(struct looping *l, const struct tch_store_series *series)
{
    struct tch_history_options options = {.dirty = l->job->dirty};
    struct tch_history h;
    tacho_error err;
    int status = EXIT_OK;

    if (tch_history_read(&h, &l->store, series, &l->order, &options, &err) < 0) {
        cli_complain(&err, "cannot read '%s.%s'", series->bench, series->metric.name);
        status = EXIT_WORK;
    } else if (l->as_json) {
        tch_history_write(&l->json, &h, &l->order, l->points);
    } else {
        status = l->each(l->ctx, &h, &l->order);
    }
    tch_history_release(&h);
    return status;
}

static int all_series(struct looping *l)
{
    static const struct tch_store_filter everything = {0};
    struct tch_store_list list;
    tacho_error err;
    int status = EXIT_OK;

    if (tch_store_list(&l->store, &everything, &list, &err) < 0) {
        cli_complain(&err, "cannot list the series");
        status = EXIT_WORK;
    }
    for (size_t i = 0; i < list.count && status == EXIT_OK; i++) {
        if (!wanted(&list.items[i], l->job, l->name))
            continue;
        l->found++;
        status = one_series(l, &list.items[i]);
    }
    if (status == EXIT_OK && l->found == 0 && l->name) {
        cli_complain(NULL, "the store has no '%s'; 'tacho history trend' lists what it has",
                     l->name);
        status = EXIT_WORK;
    }
    tch_store_list_release(&list);
    return status;
}

static int loop(struct looping *l, struct args *args)
{
    int status;

    if (l->as_json) {
        tch_json_begin_object(&l->json);
        tch_json_put_text(&l->json, "schema", TCH_HISTORY_SCHEMA);
        tch_json_put_f64(&l->json, "alpha", TCH_HISTORY_ALPHA);
        tch_json_key(&l->json, "series");
        tch_json_begin_array(&l->json);
    }
    l->name = args->count > 0 ? args->operands[0] : NULL;
    status = all_series(l);
    if (l->as_json && status == EXIT_OK) {
        tch_json_end_array(&l->json);
        tch_json_end_object(&l->json);
        tch_json_line_end(&l->json);
        return cli_print(&l->json);
    }
    tch_buf_release(&l->json);
    return status;
}

int cli_history_each(struct args *args, bool points, history_each *each, void *ctx)
{
    struct history_job job = {0};
    struct looping l = {
        .job = &job, .each = each, .ctx = ctx, .as_json = args->json, .points = points};
    char path[PATH_MAX];
    tacho_error err;
    int status = cli_set_opts(args, &job, NULL);

    if (status != EXIT_OK)
        return status;
    status = cli_history_open(&l.store, job.store, false, path);
    if (status != EXIT_OK)
        return status;
    tch_buf_init(&l.json, JSON_MAX);
    if (tch_commit_order_read(&l.order, NULL, job.branch, &err) < 0) {
        cli_complain(&err, "cannot read the commits");
        status = EXIT_WORK;
    } else {
        status = loop(&l, args);
    }
    tch_commit_order_release(&l.order);
    tch_store_close(&l.store);
    return status;
}
