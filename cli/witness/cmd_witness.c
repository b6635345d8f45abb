/* tacho witness: lists its sub-commands and finds their files. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "cli/cmds.h"
#include "cmd_witness_parts.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "kit/witness/folder_seal.h"

enum witness_at cli_witness_kind_at(const char *path)
{
    struct stat st;

    if (stat(path, &st) < 0 || !S_ISDIR(st.st_mode))
        return WITNESS_FILE;
    return tch_seal_there(path) ? WITNESS_SEALED : WITNESS_FOLDER;
}

static int add_path(struct witness_paths *paths, const char *path)
{
    if (tch_array_extend(&paths->path, paths->count) < 0 ||
        !(paths->path[paths->count] = strdup(path)))
        return cli_no_memory();
    paths->count++;
    return EXIT_OK;
}

static bool ends_with(const char *name, const char *const *extensions)
{
    size_t len = strlen(name);

    for (; *extensions; extensions++) {
        size_t n = strlen(*extensions);

        if (len > n && strcmp(name + len - n, *extensions) == 0)
            return true;
    }
    return false;
}

/* Adds a file found in a folder. Only regular files are read, because opening a FIFO or a device
   could block forever. */
static int add_found(struct witness_paths *paths, const char *folder, const char *name)
{
    char file[PATH_MAX];
    tacho_error err;
    int fd = tch_found_open(folder, name, &err);

    if (fd >= 0)
        close(fd);
    if (fd < 0 || tch_folder_at(file, folder, name, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    return add_path(paths, file);
}

int cli_witness_paths_add(struct witness_paths *paths, const char *path,
                          const char *const *extensions)
{
    struct dirent **names = NULL;
    int status = EXIT_OK;
    int count;

    if (cli_witness_kind_at(path) == WITNESS_FILE)
        return add_path(paths, path);
    count = scandir(path, &names, NULL, alphasort);
    if (count < 0) {
        tacho_error err;

        tch_fail_errno(&err, errno, "cannot read folder '%s'", path);
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    for (int i = 0; i < count; i++) {
        if (status == EXIT_OK && ends_with(names[i]->d_name, extensions))
            status = add_found(paths, path, names[i]->d_name);
        free(names[i]);
    }
    free(names);
    return status;
}

void cli_witness_paths_release(struct witness_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->path[i]);
    free(paths->path);
}

static const struct cmd *const subs[] = {
    &cmd_witness_compare, &cmd_witness_pack, &cmd_witness_show, &cmd_witness_verify, NULL,
};

static const struct example examples[] = {
    {"tacho witness verify results/witness", "Check that no line was changed, left out or moved."},
    {"tacho witness verify tacho-out/prog/latest", "Check that a sealed run is unchanged."},
    {"tacho witness compare here.jsonl there.jsonl",
     "Check that two machines made the same decisions."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"seal.jsonl",
     "Seal of a run folder: the SHA-256 of every file, written by 'tacho run --seal'."},
    {NULL, NULL},
};

const struct cmd cmd_witness = {
    .name = "witness",
    .summary = "seal results, and show whether they were changed since",
    .usage = "tacho witness COMMAND [OPTIONS] [ARGUMENTS]",
    .about =
        "A witness log has one line of JSON for each decision of a program: the hashes of its "
        "inputs, the decision, and the settings. Each line contains the hash of the line before, "
        "so later changes are detected. Programs write witness logs with <tacho/witness.h>. A "
        "bundle is one RVF file that contains several logs, the configuration and a description of "
        "the machine. 'tacho run --seal' protects a run folder in the same way.",
    .examples = examples,
    .subs = subs,
    .files = files,
};
