/*
 * The machine, the configuration and the commit of a run. They are determined once.
 */
#ifndef TCH_SURROUNDINGS_H
#define TCH_SURROUNDINGS_H

#include <stddef.h>

#include <tacho/error.h>
#include <tacho/fingerprint.h>

#include "base/buf.h"
#include "kit/vcs/vcs.h"
#include "plan/run_plan.h"

struct tch_surroundings {
    char *environment; /**< document tacho.env.v1 */
    size_t environment_len;
    char environment_hash[TACHO_ENV_HASH_TEXT];
    char *machine_class;
    char *config; /**< the config document exactly as in the file; NULL: none */
    size_t config_len;
    char *config_canonical; /**< the canonical form, which is hashed */
    size_t config_canonical_len;
    char config_hash[TACHO_SHA256_TEXT];
    struct tch_vcs vcs; /**< commit of the folder that the command runs in */
};

/** Determines the surroundings. Returns 0, TACHO_ENOMEM, or an error about the config. Call
    tch_surroundings_release() in any case. */
int tch_surroundings_init(struct tch_surroundings *s, const struct tch_run_plan *plan,
                          tacho_error *err);

/** Takes over the JSON in b as the config, without the white space around it, and hashes it.
    Releases b. Returns 0, TACHO_ENOMEM or TACHO_EPARSE. */
int tch_surroundings_set_config(struct tch_surroundings *s, struct tch_buf *b, tacho_error *err);
void tch_surroundings_release(struct tch_surroundings *s);

/** Computes the SHA-256 of the program of a command. Writes "" if it is not known: for a shell
    line, for a missing program and for one larger than 1 GiB. */
void tch_program_sha256(const struct tch_run_plan *plan, const struct tch_run_command *command,
                        char out[TACHO_SHA256_TEXT]);

/** Computes the SHA-256 of the file of --input. Writes "" without --input, for a file that is not
    regular and for one larger than 1 GiB. */
void tch_input_sha256(const struct tch_run_plan *plan, char out[TACHO_SHA256_TEXT]);

#endif
