/* tacho baseline list. */
#include <dirent.h>

#include "base/file.h"
#include "cli/cmds.h"
#include "cli/core/table.h"
#include "cmd_baseline_parts.h"

enum { JSON_LEN = 5 }; /* length of ".json" */

struct listing {
    struct table table;
    struct tch_buf json;
    const struct place *place;
    size_t count;
    bool bad;
};

/* Lists DIR/BENCH/CLASS.json. */
static void list_one(struct listing *l, const char *path, const char *bench, const char *name)
{
    struct tch_baseline b;
    tacho_error err;
    char own[PATH_MAX]; /* path where a baseline of that bench and class belongs */
    char machine_class[NAME_MAX + 1];

    if (tch_baseline_read(&b, path, &err) < 0 ||
        tch_baseline_path(own, l->place->dir, b.bench, b.machine_class, &err) < 0) {
        snprintf(machine_class, sizeof machine_class, "%.*s", (int)(strlen(name) - JSON_LEN), name);
        cli_baseline_complain(l->place, path, bench, machine_class, &err);
        l->bad = true;
    } else if (strcmp(own, path) != 0) {
        cli_complain(NULL, "'%s' is the baseline of '%s' on %s, which belongs in '%s'", path,
                     b.bench, b.machine_class, own);
        l->bad = true;
    } else {
        const struct tch_occasion *reference = tch_baseline_find(&b, "reference");
        char commit[32] = "";

        cli_table_add(&l->table, PLAIN, b.bench);
        cli_table_add(&l->table, strcmp(b.machine_class, l->place->own_class) == 0 ? GREEN : PLAIN,
                      b.machine_class);
        cli_table_addf(&l->table, PLAIN, "%zu", b.count);
        cli_table_add(&l->table, PLAIN, reference ? reference->at : "-");
        if (reference)
            tch_occasion_commit(reference, commit, sizeof commit);
        cli_table_add(&l->table, PLAIN, commit);
        tch_baseline_list_json_add(&l->json, &b, path);
        l->count++;
    }
    tch_baseline_release(&b);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Lists each file of DIR/BENCH/, in order. */
static void list_folder(struct listing *l, const char *folder, int depth)
{
    struct dirent **names;
    int n = scandir(folder, &names, not_hidden, alphasort);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        size_t len = strlen(names[i]->d_name);

        if (snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name) < PATH_MAX) {
            if (depth == 0)
                list_folder(l, path, 1);
            else if (len > JSON_LEN && strcmp(names[i]->d_name + len - JSON_LEN, ".json") == 0)
                list_one(l, path, tch_base_name(folder), names[i]->d_name);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static int run_list(struct args *args)
{
    static const struct column columns[] = {{.title = "bench"},
                                            {.title = "machine class", .fit = FIT_CUT},
                                            {.title = "occasions", .right = true},
                                            {.title = "reference"},
                                            {.title = "commit"}};
    struct place place;
    struct listing l = {.place = &place};
    struct tch_buf b;
    int status = cli_baseline_place_parse(&place, args);

    if (status == EXIT_OK) {
        cli_table_init(&l.table, &args->out, columns, 5);
        tch_buf_init(&l.json, BASELINE_OUT_MAX);
        tch_buf_init(&b, BASELINE_OUT_MAX);
        tch_baseline_list_json_begin(&l.json);
        list_folder(&l, place.dir, 0);
        tch_baseline_list_json_end(&l.json);
        if (args->json)
            tch_buf_add(&b, l.json.data, l.json.len);
        else if (l.count > 0)
            cli_table_print(&l.table, &b);
        else if (!l.bad)
            tch_buf_addf(&b, "no baselines in '%s'; 'tacho baseline save' makes them\n", place.dir);
        status = cli_print(&b);
        cli_table_release(&l.table);
        tch_buf_release(&l.json);
    }
    cli_baseline_place_release(&place);
    return status == EXIT_OK && l.bad ? EXIT_WORK : status;
}

const struct cmd cmd_baseline_list = {
    .name = "list",
    .summary = "list all baselines",
    .usage = "tacho baseline list [OPTIONS]",
    .opts = cli_baseline_place_opts,
    .json = true,
    .run = run_list,
};
