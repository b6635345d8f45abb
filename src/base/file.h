/*
 * Reads whole files up to a limit, replaces them atomically, and makes folders as needed.
 *
 * Functions with an err parameter return 0 or a negative code and fill err. Every descriptor is
 * O_CLOEXEC.
 */
#ifndef TCH_FILE_H
#define TCH_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include <tacho/error.h>

#include "buf.h"
#include "owned_fd.h"
#include "sha256.h"

/**
 * Adds the content of a file to b. The file may be regular, a pipe, or one of /proc.
 *
 * @return 0, TACHO_EIO, TACHO_ENOMEM, or TACHO_ELIMIT when there are more than `limit` bytes or
 * more than b takes. After a failure b is unchanged.
 */
int tch_file_read(const char *path, size_t limit, struct tch_buf *b, tacho_error *err);

/** Like tch_file_read(), for a file that a command finds by itself: refuses anything but a regular
    file, because a FIFO could block for ever. */
int tch_file_read_regular(const char *path, size_t limit, struct tch_buf *b, tacho_error *err);

/** Opens the regular file that an O_PATH descriptor names, for reading. Check its type first:
    opening a device can have an effect, and opening a pipe can block. Returns -1 with errno on
    failure. */
int tch_open_place(int place);

/** Like tch_file_read(), from the current offset of a descriptor. `name` is its name in
    messages. */
int tch_file_read_fd(int fd, const char *name, size_t limit, struct tch_buf *b, tacho_error *err);

/** Computes the SHA-256 of everything from the current offset on. `name` is the file's name in
    messages. bytes: set to the number of bytes; may be NULL. */
int tch_file_sha256(int fd, const char *name, char out[TCH_SHA256_HEX], uint64_t *bytes,
                    tacho_error *err);

/** Like read(2), with its results and errno, but continues after a signal and waits while a
    non-blocking descriptor has no data. */
ssize_t tch_read_some(int fd, void *data, size_t len);

/** Returns whether the size of files is limited (RLIMIT_FSIZE). */
bool tch_file_size_limited(void);

/** Writes like write(2). At the size limit it fails with EFBIG and does not raise SIGXFSZ, whose
    default action kills the program. */
ssize_t tch_write_limited(int fd, const void *data, size_t len);

/** Removes the SIGXFSZ of a failed write from a thread that blocks this signal. Keeps errno. */
void tch_discard_sigxfsz(void);

/** Writes all bytes, despite signals and short writes, also to a non-blocking descriptor. `name` is
    its name in messages. Handles SIGXFSZ like tch_write_limited(). */
int tch_write_all(int fd, const char *name, const void *data, size_t len, tacho_error *err);

/**
 * Replaces the content of a file in pieces. The new content has a temporary name in the same folder
 * until the commit renames it, so that a reader sees all of the old or all of the new content, and
 * any failure leaves the old one unchanged. The file keeps its permissions, but not a set-uid or
 * set-gid bit; a new file gets 0666 less the umask. A symbolic link stays, and its target is
 * replaced. A file that is not regular (/dev/stdout, a pipe) cannot be replaced and is written to
 * directly.
 *
 * Nothing is allocated. The working directory may change between open and commit. If the program
 * closes the descriptors and `path` still leads to the folder, they are opened again.
 */
struct tch_replace {
    const char *path;         /**< the caller's; for messages */
    struct tch_owned_fd file; /**< the new content; none once closed */
    struct tch_owned_fd
        folder; /**< the folder of both names; none when the file is written to directly */
    bool sync;  /**< set it after the open: the commit waits for the disk */
    char name[NAME_MAX + 1]; /**< the file's name in that folder */
    char temp[NAME_MAX + 1];
};

/** Opens a replacement. path must outlive r. After a failure there is nothing to abort. */
int tch_replace_open(struct tch_replace *r, const char *path, tacho_error *err);

/** Opens a replacement of `name` in the folder of a descriptor, which r owns in any case. Replaces
    any entry of that name except a folder, and follows no link. `path` is for messages. */
int tch_replace_open_at(struct tch_replace *r, int folder, const char *name, const char *path,
                        tacho_error *err);

int tch_replace_write(struct tch_replace *r, const void *data, size_t len, tacho_error *err);

/** Overwrites bytes that were written before, from `offset` on. Returns TACHO_EUNSUPPORTED when the
    file is not a regular one. */
int tch_replace_write_at(struct tch_replace *r, off_t offset, const void *data, size_t len,
                         tacho_error *err);

/** Renames the new content to the name of the file. After a failure everything is as after
    tch_replace_abort(), unless only the folder could not be synced. */
int tch_replace_commit(struct tch_replace *r, tacho_error *err);

/** Removes the temporary file. Does nothing after a commit, or a second time. */
void tch_replace_abort(struct tch_replace *r);

/** Writes and commits content held in memory. sync: as in struct tch_replace. */
int tch_replace_all(struct tch_replace *r, const void *data, size_t len, bool sync,
                    tacho_error *err);

/** Opens, writes and commits content held in memory. sync: as in struct tch_replace. */
int tch_file_replace(const char *path, const void *data, size_t len, bool sync, tacho_error *err);

/** Takes an exclusive lock (flock) on an open file, and tries ten times a second for at most
    `seconds`. Returns 0, or -1 with errno: EWOULDBLOCK when another process holds it. */
int tch_file_lock(int fd, unsigned seconds);

/** Makes the folder and those above it, like `mkdir -p`. Succeeds when it exists. */
int tch_mkdirs(const char *path, tacho_error *err);

/** Makes the folders above a file, where its path names any. */
int tch_mkdirs_above(const char *path, tacho_error *err);

/** Copies the part of `path` before `name` to `folder`, or "." if there is none. `name` must point
    into `path`. */
void tch_folder_before(char folder[PATH_MAX], const char *path, const char *name);

/** Makes a path absolute, because a program may change its working directory. Returns 0, or -1 with
    errno. */
int tch_absolute_path(char ret[PATH_MAX], const char *path);

/** Returns the part of a path after its last slash. */
const char *tch_base_name(const char *path);

#endif
