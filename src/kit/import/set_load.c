/* Loads a set of benchmarks: a folder with many runs, or files of other tools. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "import.h"

static bool is_run(const char *folder)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/run.json", folder) < PATH_MAX && access(path, F_OK) == 0;
}

static int add_run(struct tch_import_set *set, const char *folder, tacho_error *err)
{
    tacho_error why = {0};
    int status;

    if (tch_array_reserve(&set->results, &set->room, set->count + 1) < 0)
        return tch_fail_memory(err);
    status = tch_result_load(&set->results[set->count], folder, &why);
    if (status == 0) {
        set->count++;
        return 0;
    }
    tch_result_release(&set->results[set->count]);
    return tch_fail(err, status, why.line, "cannot read the run '%.200s': %.300s", folder,
                    why.message);
}

/* Adds the newest run of OUT/NAME, whose runs are named by their time. Adds nothing if there is
   none. */
static int add_newest(struct tch_import_set *set, const char *folder, tacho_error *err)
{
    struct dirent **list = NULL;
    int count = scandir(folder, &list, NULL, alphasort);
    bool found = false;
    int status = 0;

    for (int i = count - 1; i >= 0; i--) {
        char path[PATH_MAX];

        /* "latest" is a link to the newest, and sorts after all times. */
        if (!found && list[i]->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name) < PATH_MAX &&
            is_run(path)) {
            found = true;
            status = add_run(set, path, err);
        }
        free(list[i]);
    }
    free(list);
    return status;
}

static int add_runs(struct tch_import_set *set, const char *folder, tacho_error *err)
{
    struct dirent **list = NULL;
    int count = scandir(folder, &list, NULL, alphasort);
    int status = 0;

    if (count < 0)
        return tch_fail_errno(err, errno, "cannot read the folder '%s'", folder);
    for (int i = 0; i < count; i++) {
        char path[PATH_MAX];

        if (status == 0 && list[i]->d_name[0] != '.' &&
            snprintf(path, sizeof path, "%s/%s", folder, list[i]->d_name) < PATH_MAX)
            status = is_run(path) ? add_run(set, path, err) : add_newest(set, path, err);
        free(list[i]);
    }
    free(list);
    return status;
}

int tch_import_load_set(struct tch_import_set *set, const char *path,
                        const struct tch_import_options *options, bool *imported, tacho_error *err)
{
    size_t before = set->count;
    struct stat st;
    int status;

    *imported = false;
    if (is_run(path))
        return add_run(set, path, err);
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        status = add_runs(set, path, err);
        if (status < 0 || set->count > before)
            return status;
    }
    *imported = true;
    return tch_import_path(set, path, options, err);
}
