/* Descriptors that the program may have closed or replaced. */
#include "owned_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "fail.h"

enum { HIGH = 512 };

/* Returns the lowest number for our descriptors. Half of a small limit is left to the program. */
static int lowest_number(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur / 2 > HIGH)
        return HIGH;
    return (int)(limit.rlim_cur / 2);
}

static int move_up(int fd)
{
    int least = lowest_number();
    int high = fd < least ? fcntl(fd, F_DUPFD_CLOEXEC, least) : -1;

    if (high < 0)
        return fd; /* a low number works as well: every use is checked */
    close(fd);
    return high;
}

/* Fills in what identifies a file. Asks for no times, as fstat() does: Linux 6.13 and later then
   give the next write an exact time, which doubles the time of a write of an event on ext4. */
static bool identify(int fd, struct tch_owned_fd *ret)
{
    struct stat st;

#if defined(STATX_INO) /* not in the headers of older C libraries */
    struct statx sx;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO, &sx) == 0) {
        *ret = (struct tch_owned_fd){fd, makedev(sx.stx_dev_major, sx.stx_dev_minor),
                                     (ino_t)sx.stx_ino, sx.stx_mode & S_IFMT};
        return true;
    }
    if (errno == EBADF)
        return false;
#endif
    /* A sandbox may refuse statx(). */
    if (fstat(fd, &st) < 0)
        return false;
    *ret = (struct tch_owned_fd){fd, st.st_dev, st.st_ino, st.st_mode & S_IFMT};
    return true;
}

static bool is_same(const struct tch_owned_fd *a, const struct tch_owned_fd *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->type == b->type;
}

int tch_owned_take(struct tch_owned_fd *o, int fd)
{
    *o = TCH_OWNED_NONE;
    if (fd < 0)
        return -1;
    if (!identify(fd, o)) {
        int number = errno;

        close(fd);
        errno = number;
        return -1;
    }
    o->fd = move_up(fd);
    return o->fd;
}

bool tch_owned_holds(const struct tch_owned_fd *o)
{
    int fd = tch_owned_fd(o);
    struct tch_owned_fd now;

    if (fd >= 0 && identify(fd, &now) && is_same(o, &now))
        return true;
    errno = EBADF;
    return false;
}

bool tch_owned_retake(struct tch_owned_fd *o, int fd)
{
    int lost = tch_owned_fd(o);
    struct tch_owned_fd now;

    if (fd < 0)
        return false;
    if (identify(fd, &now) && is_same(o, &now)) {
        if (tch_owned_holds(o)) { /* another thread was faster */
            close(fd);
            return true;
        }
        fd = move_up(fd);
        if (__atomic_compare_exchange_n(&o->fd, &lost, fd, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            return true;
    }
    close(fd);
    return tch_owned_holds(o);
}

bool tch_owned_regain(struct tch_owned_fd *o, int at, const char *path, int flags)
{
    struct stat st;

    if (tch_owned_holds(o))
        return true;
    /* stat() comes first, because opening another file, such as a FIFO, has effects. */
    if (tch_owned_fd(o) < 0 || (!S_ISREG(o->type) && !S_ISDIR(o->type)) ||
        fstatat(at, path, &st, 0) < 0 || st.st_dev != o->dev || st.st_ino != o->ino)
        return false;
    return tch_owned_retake(o, openat(at, path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

int tch_owned_close(struct tch_owned_fd *o)
{
    bool held = tch_owned_holds(o);
    int fd = tch_owned_fd(o);

    __atomic_store_n(&o->fd, -1, __ATOMIC_RELAXED);
    return held ? close(fd) : 0;
}

int tch_owned_dup(const struct tch_owned_fd *o)
{
    int fd = tch_owned_fd(o);
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, lowest_number());

    return copy >= 0 ? copy : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int tch_owned_fail(const char *path, tacho_error *err)
{
    return tch_fail_errno(err, EBADF,
                          "the program closed or replaced the descriptor of '%.120s', and the file "
                          "could not be opened again",
                          path);
}
