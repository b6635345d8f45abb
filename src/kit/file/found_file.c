/* Files in a folder that another user or program may have filled. */
#include "found_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

/* Opens the folder of `name`, one part of the path after the other, and points *last to the part
   after it. Returns a descriptor, or -1 with errno. */
static int open_parent(const char *folder, const char *name, const char **last)
{
    int at = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *slash;

    for (; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
        size_t len = (size_t)(slash - name);
        char part[NAME_MAX + 1];
        int below = -1;

        if (len == 0 || len > NAME_MAX || (len == 2 && memcmp(name, "..", 2) == 0)) {
            errno = len > NAME_MAX ? ENAMETOOLONG : EINVAL;
        } else {
            memcpy(part, name, len);
            part[len] = '\0';
            below = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        }
        close(at);
        at = below;
    }
    *last = name;
    return at;
}

/* Closes a descriptor and keeps errno. */
static void close_quietly(int fd)
{
    int number = errno;

    if (fd >= 0)
        close(fd);
    errno = number;
}

static int open_beneath(const char *folder, const char *name, int flags)
{
    const char *last;
    int parent = open_parent(folder, name, &last);
    int fd = parent < 0 ? -1 : openat(parent, last, flags | O_NOFOLLOW | O_CLOEXEC);

    close_quietly(parent);
    return fd;
}

static const char *kind_of(mode_t mode)
{
    return S_ISLNK(mode)    ? "a symbolic link"
           : S_ISFIFO(mode) ? "a FIFO"
           : S_ISDIR(mode)  ? "a folder"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

static int stat_beneath(const char *folder, const char *name, struct stat *st)
{
    const char *last;
    int parent = open_parent(folder, name, &last);
    int result = parent < 0 ? -1 : fstatat(parent, last, st, AT_SYMLINK_NOFOLLOW);

    close_quietly(parent);
    return result;
}

int tch_found_regular(const char *folder, const char *name, tacho_error *err)
{
    return tch_found_readable(folder, name, UINT64_MAX, err);
}

int tch_found_readable(const char *folder, const char *name, uint64_t most, tacho_error *err)
{
    struct stat st;

    if (stat_beneath(folder, name, &st) == 0)
        return S_ISREG(st.st_mode) && (uint64_t)st.st_size <= most;
    if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
        return 0;
    return tch_fail_errno(err, errno, "cannot examine '%s/%s'", folder, name);
}

int tch_found_open(const char *folder, const char *name, tacho_error *err)
{
    /* stat() comes before the open, because opening a device can have effects. */
    struct stat st;
    int status = stat_beneath(folder, name, &st);
    int fd = -1;

    if (status == 0 && S_ISREG(st.st_mode)) {
        fd = open_beneath(folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
        status = fd < 0 ? -1 : fstat(fd, &st);
    }
    if (status < 0) {
        close_quietly(fd);
        return tch_fail_errno(err, errno, "cannot open '%s/%s'", folder, name);
    }
    if (S_ISREG(st.st_mode))
        return fd;
    close_quietly(fd);
    errno = EINVAL;
    return tch_fail(err, TACHO_EINVAL, 0, "'%s/%s' is %s; only regular files are read there",
                    folder, name, kind_of(st.st_mode));
}

int tch_found_read(const char *folder, const char *name, size_t limit, struct tch_buf *b,
                   tacho_error *err)
{
    int fd = tch_found_open(folder, name, err);
    int status;

    if (fd < 0)
        return fd;
    status = tch_file_read_fd(fd, name, limit, b, err);
    close(fd);
    return status;
}

static int list_names(const char *folder, const char *name, struct dirent ***names)
{
    int fd = open_beneath(folder, name, O_RDONLY | O_DIRECTORY);
    int count = fd < 0 ? -1 : scandirat(fd, ".", names, NULL, alphasort);

    close_quietly(fd);
    return count;
}

int tch_found_each(const char *folder, const char *name,
                   int (*each)(void *ctx, const char *name, tacho_error *err), void *ctx,
                   tacho_error *err)
{
    struct dirent **names;
    int n = list_names(folder, name, &names);
    int status = 0;

    if (n < 0 && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
        return 0;
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot read '%s/%s'", folder, name);
    for (int i = 0; i < n; i++) {
        const char *entry = names[i]->d_name;
        char below[PATH_MAX];

        if (status == 0 && entry[0] != '.') {
            if (strcmp(name, ".") == 0)
                status = each(ctx, entry, err);
            else if (snprintf(below, sizeof below, "%s/%s", name, entry) < PATH_MAX)
                status = each(ctx, below, err);
            else
                status = tch_fail_errno(err, ENAMETOOLONG, "cannot read '%s/%s'", folder, name);
        }
        free(names[i]);
    }
    free(names);
    return status;
}

int tch_found_replace(struct tch_replace *r, const char *folder, const char *name, const char *path,
                      tacho_error *err)
{
    const char *last;
    int parent = open_parent(folder, name, &last);

    if (parent < 0)
        return tch_fail_errno(err, errno, "cannot open the folder of '%s'", path);
    return tch_replace_open_at(r, parent, last, path, err);
}

int tch_found_write(const char *folder, const char *name, const void *data, size_t len, bool sync,
                    tacho_error *err)
{
    char path[PATH_MAX];
    struct tch_replace r;
    int status;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        return tch_fail_errno(err, ENAMETOOLONG, "cannot write '%s/%s'", folder, name);
    status = tch_found_replace(&r, folder, name, path, err);
    return status < 0 ? status : tch_replace_all(&r, data, len, sync, err);
}

int tch_found_mkdir(const char *folder, const char *name, tacho_error *err)
{
    const char *last;
    int parent = open_parent(folder, name, &last);
    int result = parent < 0 ? -1 : mkdirat(parent, last, 0777);
    struct stat st = {.st_mode = S_IFDIR};

    if (result < 0 && parent >= 0 && errno == EEXIST)
        result = fstatat(parent, last, &st, AT_SYMLINK_NOFOLLOW);
    close_quietly(parent);
    if (result < 0)
        return tch_fail_errno(err, errno, "cannot make the folder '%s/%s'", folder, name);
    if (S_ISDIR(st.st_mode))
        return 0;
    return tch_fail(err, TACHO_EINVAL, 0, "'%s/%s' is %s, not a folder; remove it", folder, name,
                    S_ISREG(st.st_mode) ? "a file" : kind_of(st.st_mode));
}

void tch_found_clear(const char *folder, const char *name)
{
    int fd = open_beneath(folder, name, O_RDONLY | O_DIRECTORY);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(fd, entry->d_name, 0);
    if (dir)
        closedir(dir);
    else
        close_quietly(fd);
    tch_found_remove(folder, name);
}

int tch_found_remove(const char *folder, const char *name)
{
    const char *last;
    int parent = open_parent(folder, name, &last);
    int result = parent < 0 ? -1 : unlinkat(parent, last, 0);

    if (result < 0 && parent >= 0 && errno == EISDIR)
        result = unlinkat(parent, last, AT_REMOVEDIR);
    close_quietly(parent);
    return result;
}
