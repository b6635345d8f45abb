/*
 * Labels as file names.
 */
#ifndef TCH_FILE_LABEL_H
#define TCH_FILE_LABEL_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/file.h"

/** Returns whether a code point is a letter or digit of any script. */
bool tch_is_alphanumeric(uint32_t code);

/** Adds "flamegraph-LABEL.svg". Each character of the label that is not alphanumeric, '-' or '_'
    becomes '_', and so does each byte that is not UTF-8. */
void tch_label_file(struct tch_buf *b, const char *label);

/**
 * Checks that `path` may be written for `label`. Different labels may have the same file name, so
 * each SVG contains its label.
 *
 * @return 0; TACHO_EINVAL: the existing file has another label or was not written by tacho;
 * TACHO_EIO
 */
int tch_label_check(const char *path, const char *label, tacho_error *err);

/** Begins to replace the file of a label, like tch_replace_open(). A link that has its name is
    replaced, not followed, because tacho chose the name and not the user. */
int tch_label_replace(struct tch_replace *r, const char *path, tacho_error *err);

/**
 * Renames the file at `path`, if there is one: "flamegraph-x.svg" becomes "flamegraph-x.old.svg",
 * in place of an older one.
 *
 * @param ret  may be NULL; set to the new name, which the caller frees, if there was a file
 */
int tch_label_keep_previous(const char *path, char **ret, tacho_error *err);

#endif
