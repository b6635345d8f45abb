/*
 * run.json, the receipt of a run: schema tacho.run.v1.
 *
 * It is written twice. When the run begins it contains the head: what is run, how, where. When the
 * run is over, the same head is followed by the outcome with every sample. Between the two the
 * samples are in samples.jsonl, one per line, from which the outcome is made after a kill.
 */
#ifndef TCH_RECEIPT_H
#define TCH_RECEIPT_H

#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>
#include <tacho/fingerprint.h>

#include "advise.h"
#include "base/buf.h"
#include "base/clock.h"
#include "count/count.h"
#include "kit/vcs/vcs.h"
#include "power_origin.h"
#include "recorded.h"
#include "recording_cost.h"
#include "run_folder.h"
#include "run_plan.h"
#include "run_sample.h"
#include "run_summary.h"

#define TCH_RUN_SCHEMA "tacho.run.v1"

/** The page that compares the commands of one run. */
#define TCH_COMPARISON_FILE "compare.html"

enum { TCH_RECEIPT_MAX = 1 << 30, TCH_RECEIPT_MEMBERS = 64 };

/** CPU time, memory and energy of the server during the runs. ready_s is 0 if there was no
    server. */
struct tch_run_server_use {
    double ready_s;
    double cpu_ns;
    double peak_bytes;
    double energy_j; /**< NAN: not known */
};

/** How the runs of a command ended. Texts are borrowed. */
struct tch_run_end {
    const char *state; /**< "complete", "interrupted", "failed", "recovered" */
    const char
        *stopped; /**< why no more runs were made: "runs", "precise", "max-time", "max-runs", … */
    uint64_t ended_unix_ns;
    double tacho_cpu_ns; /**< NAN: not known */
    uint64_t polls;      /**< polls of memory and power during the runs */
    double polls_cpu_ns; /**< CPU time of the polls, a part of tacho_cpu_ns */
    struct tch_run_server_use server;
    struct tch_power_origin power;
};

/** A receipt in memory, begun by a run or parsed from a file. */
struct tch_receipt {
    struct tch_buf text; /**< keys and JSON of the members, or the whole file */
    struct tch_receipt_member {
        size_t key_at; /**< where its key is in text */
        size_t key_len;
        size_t raw_at; /**< where its JSON is in text */
        size_t raw_len;
    } member[TCH_RECEIPT_MEMBERS];
    size_t member_count;
    bool ended; /**< tch_receipt_end() was called */

    char *name;
    char *command; /**< the command as one line, for people */
    char id[TCH_RUN_ID];
    char group[TCH_RUN_ID]; /**< "" for a single command */
    char state[16];
    char started_at[TCH_TIME_TEXT];
    char *work_unit;
    double work;
    double alpha;     /**< 1 - confidence of the intervals; until the end, that of one check */
    double precision; /**< requested precision; 0 with a fixed number of runs */

    struct tch_metric_name *metrics;
    struct tch_run_samples samples;
    struct tch_latency_summary latency;  /**< latencies of all runs */
    struct tch_recording_cost recording; /**< what recording for the metrics cost */
    struct tch_counts counts;
    struct tch_warnings warnings;
    struct tch_run_rows rows; /**< summary of the samples */
};

/** The machine, the configuration and the commit of a run. They are determined once. */
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

/** Takes over the JSON in b as the config, without the blanks around it, and hashes it. Releases b.
    Returns 0, TACHO_ENOMEM or TACHO_EPARSE. */
int tch_surroundings_set_config(struct tch_surroundings *s, struct tch_buf *b, tacho_error *err);
void tch_surroundings_release(struct tch_surroundings *s);

/** Computes the SHA-256 of the program of a command. Writes "" if it is not known: for a shell
    line, for a missing program and for one larger than 1 GiB. */
void tch_program_sha256(const struct tch_run_plan *plan, const struct tch_run_command *command,
                        char out[TACHO_SHA256_TEXT]);

/** Computes the SHA-256 of the file of --input. Writes "" without --input, for a file that is not
    regular and for one larger than 1 GiB. */
void tch_input_sha256(const struct tch_run_plan *plan, char out[TACHO_SHA256_TEXT]);

/**
 * Begins the receipt of command `index` of the plan: its head, without samples. Call
 * tch_receipt_release() in any case.
 *
 * @param group  id of the runs that are compared with it, or NULL
 * @return 0 or TACHO_ENOMEM
 */
int tch_receipt_begin(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index,
                      const struct tch_folder *folder, const char *group, double alpha,
                      const struct tch_surroundings *s, tacho_error *err);

/** Records the SHA-256 of the program of command `index` and of the input, and the fingerprint of
    the run. Replaces earlier values. Returns 0 or TACHO_ENOMEM. */
int tch_receipt_program(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index,
                        tacho_error *err);

/**
 * Writes the document that defines the run, and its SHA-256, the fingerprint. The document contains
 * the command, the hashes of its program, its input and the config, variables, parameters, the
 * seed, hooks and the like, all as in run.json. It contains nothing about the machine or the
 * results.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EPARSE if the receipt was parsed and is damaged
 */
int tch_receipt_fingerprint(const struct tch_receipt *r, struct tch_buf *document,
                            char hash[TACHO_SHA256_TEXT], tacho_error *err);

/** Writes the settings that runs must share to be compared over time, besides the command line:
    variables, parameters, the hashes of config and input, the work. */
int tch_receipt_settings(const struct tch_receipt *r, struct tch_buf *document, tacho_error *err);

/** Parses the text of a head or of a whole receipt, and takes it over from b. Returns 0,
    TACHO_EPARSE or TACHO_ENOMEM. Call tch_receipt_release() in any case. */
int tch_receipt_parse(struct tch_receipt *r, struct tch_buf *b, tacho_error *err);
void tch_receipt_release(struct tch_receipt *r);

/** Returns the JSON of a member, or NULL. */
const char *tch_receipt_raw(const struct tch_receipt *r, const char *key, size_t *len);

/** Copies the text of a member to out. Writes "" if it is not a string or does not fit. */
void tch_receipt_text(const struct tch_receipt *r, const char *key, char *out, size_t size);

/** Writes the commit for people: its first digits, with "-dirty" if files differed from it. Writes
    "" if there is no commit. */
void tch_receipt_commit(const struct tch_receipt *r, char *out, size_t size);

/** Returns whether the run was made with files that differ from its commit. */
bool tch_receipt_dirty(const struct tch_receipt *r);

/** Returns whether there is a commit, but it is not known whether files differed from it. */
bool tch_receipt_dirty_unknown(const struct tch_receipt *r);

/** Returns the number of a member, or of its member `sub` unless that is NULL. Returns `otherwise`
    if there is no number. */
double tch_receipt_number(const struct tch_receipt *r, const char *key, const char *sub,
                          double otherwise);

/** Summarises the samples and sets the members of the outcome. Replaces earlier ones. Returns 0 or
    TACHO_ENOMEM. */
int tch_receipt_end(struct tch_receipt *r, const struct tch_run_end *end, tacho_error *err);

/** Writes the receipt. If tch_receipt_end() was called, statistics, warnings and samples are
    included; otherwise the members are written as they are. */
void tch_receipt_write(struct tch_buf *b, const struct tch_receipt *r);

/** Writes the receipt to FOLDER/run.json, whole or not at all. */
int tch_receipt_save(const struct tch_receipt *r, const char *folder, tacho_error *err);

/**
 * Reads FOLDER/run.json. If that has no outcome yet, also reads the samples from samples.jsonl,
 * ignores a truncated last line and sets *recovered. Computes statistics and warnings if they are
 * missing.
 */
int tch_receipt_load(struct tch_receipt *r, const char *folder, bool *recovered, tacho_error *err);

/**
 * Adds a recorded metric to a run that was read from a folder, unless the run has it already. Reads
 * spans from the recordings in the folder. Of stages and latencies only the p50 and p99 of each run
 * are kept.
 *
 * @return 0, TACHO_EINVAL if no run recorded it, TACHO_ELIMIT, TACHO_EIO, TACHO_ENOMEM
 */
int tch_receipt_add_metric(struct tch_receipt *r, const char *folder, const struct tch_metric *m,
                           tacho_error *err);

/** Reads where the energy of the runs comes from. */
void tch_receipt_power(const struct tch_receipt *r, struct tch_power_origin *ret);

/** Adds to the title of the energy whether it was measured or estimated. */
void tch_receipt_title_energy(struct tch_receipt *r);

/** Summarises the samples as rows. */
int tch_receipt_sum(struct tch_receipt *r, tacho_error *err);

/** Adds the tool that counted and its cost, or why the value cannot be counted. */
void tch_count_add_source(struct tch_buf *b, const struct tch_receipt *r,
                          const struct tch_count *c);

#endif
