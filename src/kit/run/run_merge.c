/* Files of the runs, put together. */
#include "run_merge.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include <tacho/csv.h>

#include "base/fail.h"
#include "base/file.h"
#include "run_folder.h"

enum { FILE_MAX_BYTES = 1 << 30 };

/* Files whose name starts with `prefix` and ends with `suffix` go into `whole`. The first line is a
   header where there is one: kept once. */
struct kind {
    const char *prefix;
    const char *suffix;
    const char *whole;
    bool header;
};

static const struct kind kinds[] = {
    {"profile", ".jsonl", "profile.jsonl", false},
    {"latency.", ".csv", "latency.csv", true},
    {"memory.", ".csv", "memory-program.csv", true},
    {"memory-detail.", ".csv", "memory-detail.csv", true},
    {"power.", ".csv", "power-program.csv", true},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct merging {
    const char *folder;
    struct tch_replace out[KINDS];
    char path[KINDS][PATH_MAX];
    bool any[KINDS]; /* something of it so far */
    tacho_error *err;
};

bool tch_run_part_is(const char *name, const char *prefix, const char *suffix)
{
    size_t before = strlen(prefix);
    size_t behind = strlen(suffix);
    size_t len = strlen(name);

    return len >= before + behind && strncmp(name, prefix, before) == 0 &&
           strcmp(name + len - behind, suffix) == 0;
}

static bool is_kind(const struct kind *kind, const char *name)
{
    return tch_run_part_is(name, kind->prefix, kind->suffix);
}

/* Whole lines only, and the header only when it is the first. */
static int append(struct merging *m, size_t k, const struct tch_buf *text)
{
    const char *data = text->data;
    const char *end = memrchr(data, '\n', text->len);
    int status = 0;

    if (!end)
        return 0;
    if (m->any[k]) {
        if (kinds[k].header)
            data = (const char *)memchr(data, '\n', text->len) + 1;
    } else {
        status = tch_folder_at(m->path[k], m->folder, kinds[k].whole, m->err);
        if (status == 0)
            status = tch_replace_open(&m->out[k], m->path[k], m->err);
        if (status < 0)
            return status;
        m->any[k] = true;
    }
    return tch_replace_write(&m->out[k], data, (size_t)(end + 1 - data), m->err);
}

static int take_file(struct merging *m, size_t k, const char *path)
{
    struct tch_buf text;
    int status;

    tch_buf_init(&text, FILE_MAX_BYTES);
    status = tch_file_read(path, FILE_MAX_BYTES, &text, m->err);
    if (status == 0)
        status = append(m, k, &text);
    tch_buf_release(&text);
    return status;
}

static int merge_file(void *m, const char *path, tacho_error *err)
{
    const char *name = strrchr(path, '/') + 1;

    (void)err;
    for (size_t k = 0; k < KINDS; k++)
        if (is_kind(&kinds[k], name))
            return take_file(m, k, path);
    return 0;
}

/* Sorted, so that the same files give the same result. */
static int merge_iter(void *m, const char *path, tacho_error *err)
{
    return tch_folder_each(path, merge_file, m, err);
}

static int remove_file(void *m, const char *path, tacho_error *err)
{
    const char *name = strrchr(path, '/') + 1;

    (void)m;
    (void)err;
    for (size_t k = 0; k < KINDS; k++)
        if (is_kind(&kinds[k], name))
            unlink(path);
    return 0;
}

static int remove_iter(void *m, const char *path, tacho_error *err)
{
    int status = tch_folder_each(path, remove_file, m, err);

    rmdir(path); /* unless something is left */
    return status;
}

static int commit(struct merging *m)
{
    int status = 0;

    for (size_t k = 0; k < KINDS && status == 0; k++)
        if (m->any[k])
            status = tch_replace_commit(&m->out[k], m->err);
    return status;
}

/* What is under `taken` is in the whole files already. What else is there goes back to `iter`. */
static int clear_taken(struct merging *m, const char *taken, const char *iter)
{
    int status = tch_folder_each(taken, remove_iter, m, m->err);

    if (status == 0 && rmdir(taken) < 0 && errno == ENOTEMPTY && rename(taken, iter) < 0)
        status = tch_fail_errno(m->err, errno, "cannot rename '%s'", taken);
    return status;
}

/* A kill may come at any time. Until the whole files are complete all parts are there, under
   `iter`; the name `iter.taken` says that they are, and that the parts can go. */
int tch_run_merge(const char *folder, tacho_error *err)
{
    struct merging m = {.folder = folder, .err = err};
    char iter[PATH_MAX];
    char taken[PATH_MAX];
    int status = tch_folder_at(iter, folder, "iter", err);

    if (status == 0)
        status = tch_folder_at(taken, folder, "iter.taken", err);
    if (status == 0)
        status = clear_taken(&m, taken, iter);
    if (status == 0)
        status = tch_folder_each(iter, merge_iter, &m, err);
    if (status == 0)
        status = commit(&m);
    for (size_t k = 0; k < KINDS; k++)
        if (m.any[k])
            tch_replace_abort(&m.out[k]);
    if (status == 0 && rename(iter, taken) == 0)
        status = clear_taken(&m, taken, iter);
    return status;
}
