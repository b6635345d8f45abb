/* Whole files: reading with a limit, atomic replacement, folders. */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fail.h"
#include "temp_files.h"

enum { READ_CHUNK = 64 * 1024 };

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Reading. */

ssize_t tch_read_some(int fd, void *data, size_t len)
{
    for (;;) {
        ssize_t n = read(fd, data, len);

        if (n >= 0)
            return n;
        if (errno == EAGAIN)
            poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1);
        else if (errno != EINTR)
            return -1;
    }
}

/* Reads one more chunk. Returns 1 when there may be more, 0 at the end, or a negative code. */
static int add_chunk(int fd, const char *name, size_t chunk, struct tch_buf *b, tacho_error *err)
{
    char *room = tch_buf_room(b, chunk);
    ssize_t n;

    if (!room)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory reading '%s'", name);
    n = tch_read_some(fd, room, chunk);
    tch_buf_grew(b, n > 0 ? (size_t)n : 0);
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", name);
    return n > 0;
}

static int check_end(int fd, const char *name, size_t limit, tacho_error *err)
{
    char one;
    ssize_t n = tch_read_some(fd, &one, 1);

    if (n < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", name);
    if (n > 0)
        return tch_fail(err, TACHO_ELIMIT, 0, "more than %zu bytes, the limit, in '%s'", limit,
                        name);
    return 0;
}

int tch_file_read_fd(int fd, const char *name, size_t limit, struct tch_buf *b, tacho_error *err)
{
    size_t before = b->len;
    size_t most = limit < b->limit - before ? limit : b->limit - before;
    size_t expected = 0;
    struct stat st;
    int result = 1;

    /* The size is a hint: files of /proc say 0, those of /sys 4096. */
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0)
        expected = (size_t)st.st_size;
    while (result > 0) {
        size_t got = b->len - before;
        /* Reads one byte more than expected, so that the end is seen without growing again. */
        size_t chunk = expected > 0 && got <= expected ? expected - got + 1 : READ_CHUNK;

        if (got == most)
            result = check_end(fd, name, most, err);
        else
            result = add_chunk(fd, name, chunk < most - got ? chunk : most - got, b, err);
    }
    if (result < 0 && b->len > before) {
        b->len = before;
        b->data[before] = '\0';
    }
    return result;
}

int tch_file_read(const char *path, size_t limit, struct tch_buf *b, tacho_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    int result;

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot open '%s'", path);
    result = tch_file_read_fd(fd, path, limit, b, err);
    close(fd);
    return result;
}

int tch_file_read_regular(const char *path, size_t limit, struct tch_buf *b, tacho_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    int result;

    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot open '%s'", path);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        result = tch_file_read_fd(fd, path, limit, b, err);
    else
        result = tch_fail(err, TACHO_EINVAL, 0, "'%s' is not a regular file", path);
    close(fd);
    return result;
}

int tch_open_place(int place)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", place);
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

/* Writing. */

bool tch_file_size_limited(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
}

void tch_discard_sigxfsz(void)
{
    static const struct timespec now;
    int saved = errno;
    sigset_t one;

    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    while (sigtimedwait(&one, NULL, &now) < 0 && errno == EINTR)
        continue;
    errno = saved;
}

ssize_t tch_write_limited(int fd, const void *data, size_t len)
{
    sigset_t one, before;
    ssize_t n;

    sigemptyset(&one);
    sigaddset(&one, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &one, &before);
    n = write(fd, data, len);
    if (n < 0 && errno == EFBIG)
        tch_discard_sigxfsz();
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return n;
}

int tch_file_sha256(int fd, const char *name, char out[TCH_SHA256_HEX], uint64_t *bytes,
                    tacho_error *err)
{
    uint8_t digest[TCH_SHA256_SIZE];
    char data[READ_CHUNK];
    struct tch_sha256 h;
    ssize_t n;

    tch_sha256_init(&h);
    while ((n = tch_read_some(fd, data, sizeof data)) > 0)
        tch_sha256_update(&h, data, (size_t)n);
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", name);
    if (bytes)
        *bytes = h.len;
    tch_sha256_final(&h, digest);
    tch_sha256_digest_hex(out, digest);
    return 0;
}

int tch_write_all(int fd, const char *name, const void *data, size_t len, tacho_error *err)
{
    bool limited = tch_file_size_limited();
    const char *p = data;

    while (len > 0) {
        ssize_t n = limited ? tch_write_limited(fd, p, len) : write(fd, p, len);

        if (n >= 0) {
            p += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) {
            poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
        } else if (errno != EINTR) {
            return tch_fail_errno(err, errno, "cannot write '%s'", name);
        }
    }
    return 0;
}

/* Enters the folder of `path`, starting at *folder (AT_FDCWD at first), and keeps the last name. */
static int enter_folder(int *folder, char name_of[NAME_MAX + 1], const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char above[PATH_MAX] = ".";
    int fd;

    if (strlen(path) >= sizeof above || strlen(name) > NAME_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (slash)
        snprintf(above, sizeof above, "%.*s", (int)(name - path), path);
    fd = openat(*folder, above, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    close_fd(folder);
    *folder = fd;
    snprintf(name_of, NAME_MAX + 1, "%s", name);
    return 0;
}

/* Follows links by hand, because a link to a file that does not exist yet is valid, too. Returns
   the folder and sets `name`, or returns -1. */
static int find_target(char name[NAME_MAX + 1], const char *path)
{
    enum { LINKS_MAX = 40 }; /* as many as the kernel follows */
    char link[PATH_MAX];
    int folder = AT_FDCWD;

    if (enter_folder(&folder, name, path) < 0)
        return -1;
    for (int i = 0; i < LINKS_MAX; i++) {
        ssize_t len = readlinkat(folder, name, link, sizeof link - 1);

        if (len < 0)
            return folder;
        link[len] = '\0';
        if (enter_folder(&folder, name, link) < 0)
            break;
        if (i == LINKS_MAX - 1)
            errno = ELOOP;
    }
    if (folder >= 0)
        close(folder);
    return -1;
}

/* Opens the folder again if the program has closed its descriptor. */
static bool hold_folder(struct tch_replace *r)
{
    char name[NAME_MAX + 1];

    return tch_owned_holds(&r->folder) ||
           (r->folder.fd >= 0 && tch_owned_retake(&r->folder, find_target(name, r->path)));
}

/* Opens the folder and the new content again. Writing then continues at the end of the content. */
static bool hold(struct tch_replace *r)
{
    bool direct = r->folder.fd < 0;

    if (!direct && !hold_folder(r))
        return false;
    if (tch_owned_holds(&r->file))
        return true;
    return !direct && tch_owned_regain(&r->file, r->folder.fd, r->temp, O_WRONLY | O_NOFOLLOW) &&
           lseek(r->file.fd, 0, SEEK_END) >= 0;
}

/* Creates a file of our own beside the one to replace. `mode` is the mode of the existing file, or
   0 for a new one. The set-uid bits are not kept: they vouched for the old content. */
static int open_temp(struct tch_replace *r, mode_t mode)
{
    enum { TRIES = 1000 };
    static atomic_uint serial;

    for (int i = 0; i < TRIES; i++) {
        snprintf(r->temp, sizeof r->temp, ".%.200s.%ld.%u.tmp", r->name, (long)getpid(),
                 atomic_fetch_add(&serial, 1));
        if (tch_owned_take(&r->file,
                           openat(r->folder.fd, r->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                  mode ? mode & 0777 : 0666)) >= 0) {
            tch_temp_files_add(r->folder.fd, r->temp);
            return mode ? fchmod(r->file.fd, mode & 0777) : 0;
        }
        if (errno != EEXIST)
            break;
    }
    r->temp[0] = '\0'; /* there is no file of ours to remove */
    return -1;
}

int tch_replace_open(struct tch_replace *r, const char *path, tacho_error *err)
{
    struct stat st;
    mode_t mode = stat(path, &st) == 0 ? st.st_mode : 0;
    int result = 0;

    *r = (struct tch_replace){.path = path, .file = TCH_OWNED_NONE, .folder = TCH_OWNED_NONE};
    if (!*path)
        return tch_fail_errno(err, ENOENT, "cannot write ''");
    if (S_ISDIR(mode) || path[strlen(path) - 1] == '/')
        return tch_fail_errno(err, EISDIR, "cannot write '%s'", path);
    if (mode && !S_ISREG(mode)) {
        if (tch_owned_take(&r->file, open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)) < 0)
            return tch_fail_errno(err, errno, "cannot write '%s'", path);
        return 0;
    }
    if (tch_owned_take(&r->folder, find_target(r->name, path)) < 0)
        result = tch_fail_errno(err, errno, "cannot open the folder of '%s'", path);
    else if (open_temp(r, mode) < 0)
        result = tch_fail_errno(err, errno, "cannot create '%s'", path);
    if (result < 0)
        tch_replace_abort(r);
    return result;
}

/* Stores the name of the file. Returns 0 or the number of an error. */
static int set_name(struct tch_replace *r, const char *name, mode_t mode)
{
    if (!*name)
        return ENOENT;
    if (S_ISDIR(mode))
        return EISDIR;
    return snprintf(r->name, sizeof r->name, "%s", name) < (int)sizeof r->name ? 0 : ENAMETOOLONG;
}

int tch_replace_open_at(struct tch_replace *r, int folder, const char *name, const char *path,
                        tacho_error *err)
{
    struct stat st;
    mode_t mode = fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? st.st_mode : 0;
    int number;

    *r = (struct tch_replace){.path = path, .file = TCH_OWNED_NONE};
    number = tch_owned_take(&r->folder, folder) < 0 ? errno : set_name(r, name, mode);
    if (number == 0 && open_temp(r, S_ISREG(mode) ? mode : 0) < 0)
        number = errno;
    if (number == 0)
        return 0;
    tch_replace_abort(r);
    return tch_fail_errno(err, number, "cannot create '%s'", path);
}

int tch_replace_write(struct tch_replace *r, const void *data, size_t len, tacho_error *err)
{
    if (!hold(r))
        return tch_owned_fail(r->path, err);
    return tch_write_all(r->file.fd, r->path, data, len, err);
}

int tch_replace_write_at(struct tch_replace *r, off_t offset, const void *data, size_t len,
                         tacho_error *err)
{
    const char *p = data;

    if (r->folder.fd < 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "'%s' is not a regular file; write to one, then copy it there", r->path);
    if (!hold(r))
        return tch_owned_fail(r->path, err);
    while (len > 0) {
        ssize_t n = pwrite(r->file.fd, p, len, offset);

        if (n < 0 && errno != EINTR)
            return tch_fail_errno(err, errno, "cannot write '%s'", r->path);
        if (n > 0) {
            p += n;
            len -= (size_t)n;
            offset += n;
        }
    }
    return 0;
}

/* Syncs the folder, because the rename itself is on the disk only then. */
static int sync_folder(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int result;

    if (fd < 0)
        return -1;
    result = fsync(fd);
    close(fd);
    return result;
}

static void forget_temp(struct tch_replace *r)
{
    if (r->temp[0])
        tch_temp_files_forget(r->temp);
    r->temp[0] = '\0';
}

static int move_into_place(struct tch_replace *r)
{
    int folder = r->folder.fd;

    if (r->sync && folder >= 0 && fsync(r->file.fd) < 0)
        return -1;
    if (tch_owned_close(&r->file) < 0 && errno != EINTR) /* a full disk may show only here */
        return -1;
    if (folder < 0)
        return 0;
    if (renameat(folder, r->temp, folder, r->name) < 0)
        return -1;
    forget_temp(r);
    return r->sync ? sync_folder(folder) : 0;
}

int tch_replace_commit(struct tch_replace *r, tacho_error *err)
{
    int result = 0;

    if (!hold(r))
        result = tch_owned_fail(r->path, err);
    else if (move_into_place(r) < 0)
        result = tch_fail_errno(err, errno, "cannot write '%s'", r->path);
    tch_replace_abort(r);
    return result;
}

void tch_replace_abort(struct tch_replace *r)
{
    tch_owned_close(&r->file);
    if (r->temp[0] && hold_folder(r))
        unlinkat(r->folder.fd, r->temp, 0);
    forget_temp(r);
    tch_owned_close(&r->folder);
}

int tch_replace_all(struct tch_replace *r, const void *data, size_t len, bool sync,
                    tacho_error *err)
{
    int result;

    r->sync = sync;
    result = tch_replace_write(r, data, len, err);
    if (result == 0)
        result = tch_replace_commit(r, err);
    tch_replace_abort(r);
    return result;
}

int tch_file_replace(const char *path, const void *data, size_t len, bool sync, tacho_error *err)
{
    struct tch_replace r;
    int result = tch_replace_open(&r, path, err);

    return result < 0 ? result : tch_replace_all(&r, data, len, sync, err);
}

int tch_file_lock(int fd, unsigned seconds)
{
    enum { TRIES_PER_SECOND = 10 };

    for (unsigned i = 0;; i++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0)
            return 0;
        if ((errno != EWOULDBLOCK && errno != EINTR) || i == seconds * TRIES_PER_SECOND)
            return -1;
        nanosleep(&(struct timespec){.tv_nsec = 1000000000 / TRIES_PER_SECOND}, NULL);
    }
}

/* Folders. */

/* Makes one folder whose parent exists. */
static int make_folder(const char *part, const char *path, tacho_error *err)
{
    struct stat st;
    int number;

    /* stat() comes first: mkdir() of an existing folder may fail because the file system is
       read-only. */
    if (stat(part, &st) < 0) {
        if (mkdir(part, 0777) == 0)
            return 0;
        number = errno;
        if (number != EEXIST || stat(part, &st) < 0) /* another process may have been faster */
            return tch_fail_errno(err, number, "cannot create folder '%s'", part);
    }
    if (S_ISDIR(st.st_mode))
        return 0;
    if (strcmp(part, path) == 0)
        return tch_fail_errno(err, EEXIST, "cannot create folder '%s', there is a file", path);
    return tch_fail_errno(err, ENOTDIR, "cannot create folder '%s', '%s' is a file", path, part);
}

int tch_mkdirs(const char *path, tacho_error *err)
{
    char part[PATH_MAX];
    size_t len = strlen(path);
    int result = 0;

    if (len == 0)
        return tch_fail_errno(err, ENOENT, "cannot create folder ''");
    if (len >= sizeof part)
        return tch_fail_errno(err, ENAMETOOLONG, "cannot create folder '%s'", path);
    memcpy(part, path, len + 1);
    for (size_t i = 1; i <= len && result == 0; i++) {
        if ((path[i] != '/' && path[i] != '\0') || path[i - 1] == '/')
            continue;
        part[i] = '\0';
        result = make_folder(part, path, err);
        part[i] = path[i];
    }
    return result;
}

int tch_mkdirs_above(const char *path, tacho_error *err)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    size_t len = slash ? (size_t)(slash - path) : 0;

    if (len == 0)
        return 0;
    if (len >= sizeof folder)
        return tch_fail_errno(err, ENAMETOOLONG, "cannot open '%s'", path);
    memcpy(folder, path, len);
    folder[len] = '\0';
    return tch_mkdirs(folder, err);
}

void tch_folder_before(char folder[PATH_MAX], const char *path, const char *name)
{
    while (name > path + 1 && name[-1] == '/')
        name--;
    snprintf(folder, PATH_MAX, "%.*s", name > path ? (int)(name - path) : 1,
             name > path ? path : ".");
}

int tch_absolute_path(char ret[PATH_MAX], const char *path)
{
    size_t len = 0;

    if (path[0] != '/' && (!getcwd(ret, PATH_MAX) || (len = strlen(ret)) + 1 >= PATH_MAX))
        return -1;
    if (len > 0)
        ret[len++] = '/';
    if (strlen(path) >= PATH_MAX - len) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(ret + len, path, strlen(path) + 1);
    return 0;
}

const char *tch_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}
