/* Draws two profiles as one picture. */
#include "run_flame_diff.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "kit/file/found_file.h"
#include "kit/flame/draw/change_text.h"
#include "kit/flame/draw/profile_formats.h"
#include "kit/flame/stack/stacks.h"
#include "kit/result/run_folder.h"

static int is_folded(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return strncmp(entry->d_name, "flamegraph-", 11) == 0 && len > 18 &&
           strcmp(entry->d_name + len - 7, ".folded") == 0;
}

int tch_folded_find(const char *folder, char path[PATH_MAX])
{
    struct dirent **names;
    int n = scandir(folder, &names, is_folded, alphasort);
    int found = 0;

    for (int i = 0; i < n; i++) {
        found = found || (tch_found_regular(folder, names[i]->d_name, NULL) > 0 &&
                          tch_folder_at(path, folder, names[i]->d_name, NULL) == 0);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return found;
}

static int read_profile(struct tch_stacks *stacks, const char *path, tacho_error *err)
{
    const struct tch_flame_read_options options = {.kind = TCH_READ_FOLDED};
    struct tch_flame_reader r;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    int status;

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", path);
    tch_read_init(&r, stacks, &options);
    status = tch_read_fd(&r, fd, path, err);
    tch_read_release(&r);
    close(fd);
    return status;
}

static int draw(struct tch_buf *svg, const struct tch_stacks *stacks, const char *title, bool table,
                tacho_error *err)
{
    const struct tch_format_options options = {
        .svg = {.title = title,
                .no_table = !table,
                .count_name = stacks->counted.unit[0] ? stacks->counted.unit : NULL},
        .least_percent = 0.01};
    const struct tch_profile profile = {.stacks = stacks, .name = title};
    struct tch_sink sink;
    int status;
    int ended;

    tch_sink_init(&sink, tch_sink_to_buf, svg, err);
    status = tch_format_by_name("svg")->write(&profile, &options, &sink);
    ended = tch_sink_end(&sink);
    return status < 0 ? status : ended;
}

static int add_table(struct tch_buf *table, const struct tch_stacks *stacks, tacho_error *err)
{
    struct tch_changes changes;
    int status = tch_stacks_changes(stacks, &changes, err);

    if (status == 0)
        tch_changes_html(table, stacks, &changes);
    return status;
}

int tch_flame_diff(struct tch_buf *svg, struct tch_buf *table, const char *a, const char *b,
                   const char *title, tacho_error *err)
{
    struct tch_stacks stacks = {0};
    int status = read_profile(&stacks, a, err);

    if (status < 0)
        goto out;
    status = tch_stacks_diff_begin(&stacks, err);
    if (status < 0)
        goto out;
    status = read_profile(&stacks, b, err);
    if (status < 0)
        goto out;
    status = tch_stacks_diff_end(&stacks, false, false, err);
    if (status < 0)
        goto out;
    status = draw(svg, &stacks, title, !table, err);
    if (status == 0 && table)
        status = add_table(table, &stacks, err);
out:
    tch_stacks_release(&stacks);
    return status;
}
