/*
 * The sub-commands of tacho fingerprint, one file per sub-command (cmd_fingerprint_<name>.c), and
 * the functions they share.
 */
#ifndef CLI_CMD_FINGERPRINT_PARTS_H
#define CLI_CMD_FINGERPRINT_PARTS_H

#include "base/buf.h"
#include "cli/core/cmd.h"

extern const struct cmd cmd_fingerprint_config;
extern const struct cmd cmd_fingerprint_diff;
extern const struct cmd cmd_fingerprint_env;
extern const struct cmd cmd_fingerprint_json;
extern const struct cmd cmd_fingerprint_run;
extern const struct cmd cmd_fingerprint_tensor;

enum { FINGERPRINT_OUT_MAX = 32 * 1024 * 1024 };

/** The one argument FILE. */
extern const struct arg cli_fingerprint_file_arg[];

/** Reads a whole file, or standard input for "-". Returns EXIT_OK, or EXIT_WORK after an
    error message. */
int cli_fingerprint_read(const char *name, struct tch_buf *b);

/** Prints the hash; with --json also the document that was hashed, which is NULL if that was not
    JSON. */
int cli_fingerprint_put(const struct args *args, const char *kind, const char *hash,
                        const char *document, size_t len);

/** Hashes the document and prints the hash as cli_fingerprint_put() does. */
int cli_fingerprint_put_document(const struct args *args, const char *kind, const char *document,
                                 size_t len);

#endif
