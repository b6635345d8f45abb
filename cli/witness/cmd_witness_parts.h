/*
 * The sub-commands of tacho witness, one file per sub-command (cmd_witness_<name>.c), and what they
 * share.
 */
#ifndef CLI_CMD_WITNESS_PARTS_H
#define CLI_CMD_WITNESS_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/witness.h>

#include "base/buf.h"
#include "cli/core/cmd.h"
#include "cli/core/opt.h"

extern const struct cmd cmd_witness_compare;
extern const struct cmd cmd_witness_pack;
extern const struct cmd cmd_witness_show;
extern const struct cmd cmd_witness_verify;

/** The kind of file or folder at a path. */
enum witness_at {
    WITNESS_FILE,   /**< a file: a log, a bundle or something unknown */
    WITNESS_SEALED, /**< a folder with a seal */
    WITNESS_FOLDER, /**< a folder without a seal */
};

enum witness_at cli_witness_kind_at(const char *path);

/** A list of paths, which the caller releases. */
struct witness_paths {
    char **path;
    size_t count;
};

/** Adds the path itself, or for a folder all files in it that end with one of the extensions
    (NULL-terminated), sorted by name. Returns EXIT_OK, or EXIT_WORK after an error message. */
int cli_witness_paths_add(struct witness_paths *paths, const char *path,
                          const char *const *extensions);
void cli_witness_paths_release(struct witness_paths *paths);

#endif
