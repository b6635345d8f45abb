/*
 * Files in a folder that another user or program may have filled: a run folder from another
 * machine, or one that the measured program writes to.
 *
 * `folder` is the user's choice and may be a symbolic link. `name` is resolved beneath it without
 * following a link, because a link can lead out of the folder. Only regular files are read, because
 * a FIFO or a device can block for ever or have no end.
 */
#ifndef TCH_FOUND_FILE_H
#define TCH_FOUND_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/file.h"

/** Opens a regular file for reading and never waits. Returns a descriptor or a negative code:
    TACHO_EINVAL when the file is not a regular one, TACHO_EIO otherwise, with errno set. */
int tch_found_open(const char *folder, const char *name, tacho_error *err);

/** Adds the content of such a file to b, like tch_file_read(). */
int tch_found_read(const char *folder, const char *name, size_t limit, struct tch_buf *b,
                   tacho_error *err);

/** Finds out whether `name` is a regular file that a reader may open. Returns 1; 0 if it is
   something else or missing; or TACHO_EIO if that cannot be found out. */
int tch_found_regular(const char *folder, const char *name, tacho_error *err);

/** Like tch_found_regular(), but also returns 0 if the file has more than `most` bytes. */
int tch_found_readable(const char *folder, const char *name, uint64_t most, tacho_error *err);

/** Calls `each` for every entry of the folder `name` ("." for `folder` itself) whose own name does
    not begin with a dot, in the order of their names. `each` gets the name beneath `folder`. Stops
    at the first result that is not 0 and returns it. A missing folder, or a file in its place,
    counts as empty. */
int tch_found_each(const char *folder, const char *name,
                   int (*each)(void *ctx, const char *name, tacho_error *err), void *ctx,
                   tacho_error *err);

/** Begins to replace `name`, like tch_replace_open(). A link, FIFO or device that has the name is
    itself replaced. `path` names the file in messages and must outlive r. */
int tch_found_replace(struct tch_replace *r, const char *folder, const char *name, const char *path,
                      tacho_error *err);

/** Replaces `name` by content held in memory. sync: as in struct tch_replace. */
int tch_found_write(const char *folder, const char *name, const void *data, size_t len, bool sync,
                    tacho_error *err);

/** Makes the folder `name` unless it exists. Returns TACHO_EINVAL when anything but a folder has
    that name, such as a link to a folder. */
int tch_found_mkdir(const char *folder, const char *name, tacho_error *err);

/** Removes a file or link, or an empty folder. Returns 0, or -1 with errno. */
int tch_found_remove(const char *folder, const char *name);

/** Removes the files in the folder `name` and, unless it has sub-folders, the folder itself. */
void tch_found_clear(const char *folder, const char *name);

#endif
