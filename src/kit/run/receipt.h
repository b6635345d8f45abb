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
#include "power_origin.h"
#include "recorded.h"
#include "recording_cost.h"
#include "run_folder.h"
#include "run_plan.h"
#include "run_sample.h"
#include "run_summary.h"
#include "vcs.h"

#define TCH_RUN_SCHEMA "tacho.run.v1"

/** The page that compares the commands of one run. */
#define TCH_COMPARISON_FILE "compare.html"

enum { TCH_RECEIPT_MAX = 1 << 30, TCH_RECEIPT_MEMBERS = 64 };

/** What the server beside the runs used. ready_s is 0 when there was none. */
struct tch_run_server_use {
    double ready_s;
    double cpu_ns;
    double peak_bytes;
    double energy_j; /**< NAN: not known */
};

/** How the runs of a command ended. Texts are borrowed. */
struct tch_run_end {
    const char *state;   /**< "complete", "interrupted", "failed", "recovered" */
    const char *stopped; /**< why no more runs: "runs", "precise", "max-time", "max-runs", … */
    uint64_t ended_unix_ns;
    double tacho_cpu_ns; /**< NAN: not known */
    uint64_t polls;      /**< of memory and power during the runs */
    double polls_cpu_ns; /**< their part of tacho_cpu_ns */
    struct tch_run_server_use server;
    struct tch_power_origin power;
};

/** A receipt in memory: begun by a run, or parsed from a file. */
struct tch_receipt {
    struct tch_buf text; /**< keys and JSON of the members, or the whole file */
    struct tch_receipt_member {
        size_t key_at; /**< where its key is in text */
        size_t key_len;
        size_t raw_at; /**< where its JSON is in text */
        size_t raw_len;
    } member[TCH_RECEIPT_MEMBERS];
    size_t member_count;
    bool ended; /**< by tch_receipt_end() */

    char *name;
    char *command; /**< the line for people */
    char id[TCH_RUN_ID];
    char group[TCH_RUN_ID]; /**< "" when it has none */
    char state[16];
    char started_at[TCH_TIME_TEXT];
    char *work_unit;
    double work;
    double alpha;     /**< 1 - confidence of the intervals; before the end, of one check's */
    double precision; /**< asked for; 0 with a fixed number of runs */

    struct tch_metric_name *metrics;
    struct tch_run_samples samples;
    struct tch_latency_summary latency;  /**< of all runs */
    struct tch_recording_cost recording; /**< what recording for the metrics cost */
    struct tch_counts counts;
    struct tch_warnings warnings;
    struct tch_run_rows rows; /**< made of the samples */
};

/** Under what a run comes about: found out once. */
struct tch_surroundings {
    char *environment; /**< JSON, tacho.env.v1 */
    size_t environment_len;
    char environment_hash[TACHO_ENV_HASH_TEXT];
    char *machine_class;
    char *config; /**< JSON of the plan's config as the file has it; NULL: none */
    size_t config_len;
    char *config_canonical; /**< the form that is hashed */
    size_t config_canonical_len;
    char config_hash[TACHO_SHA256_TEXT];
    struct tch_vcs vcs; /**< of the folder it runs in */
};

/** 0, TACHO_ENOMEM, or what is wrong with the config; release in any case. */
int tch_surroundings_init(struct tch_surroundings *s, const struct tch_run_plan *plan,
                          tacho_error *err);

/** Takes the JSON in b over as the config, without the blanks around it, and hashes it. Releases b.
    0, TACHO_ENOMEM, TACHO_EPARSE. */
int tch_surroundings_set_config(struct tch_surroundings *s, struct tch_buf *b, tacho_error *err);
void tch_surroundings_release(struct tch_surroundings *s);

/** Computes the SHA-256 of the program of a command. "" where that is not known: of a shell's line,
    of a program that is missing, and of one larger than 1 GiB. */
void tch_program_sha256(const struct tch_run_plan *plan, const struct tch_run_command *command,
                        char out[TACHO_SHA256_TEXT]);

/** Does the same for the file of the standard input. "" without one, for one that is no regular
    file, and for one larger than 1 GiB. */
void tch_input_sha256(const struct tch_run_plan *plan, char out[TACHO_SHA256_TEXT]);

/**
 * Begins the receipt of command `index` of the plan: its head, without samples.
 * tch_receipt_release() in any case.
 *
 * @param group  of the runs that are compared with it; or NULL
 * @return 0 or TACHO_ENOMEM
 */
int tch_receipt_begin(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index,
                      const struct tch_folder *folder, const char *group, double alpha,
                      const struct tch_surroundings *s, tacho_error *err);

/** Records the SHA-256 of the program of command `index` and of the input, and the fingerprint of
    the run, in place of what was recorded before. 0 or TACHO_ENOMEM. */
int tch_receipt_program(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index,
                        tacho_error *err);

/**
 * Writes the document of what defines the run, and its SHA-256: the fingerprint. It contains the
 * command, the hashes of its program, its input and the config, variables, parameters, the seed and
 * what is around a run, all as run.json has it; nothing of the machine or of the results.
 *
 * @return 0, TACHO_ENOMEM, or TACHO_EPARSE for a receipt that was parsed and is damaged
 */
int tch_receipt_fingerprint(const struct tch_receipt *r, struct tch_buf *document,
                            char hash[TACHO_SHA256_TEXT], tacho_error *err);

/** Writes what runs must share to be compared over time, besides the command line: variables,
    parameters, the hashes of config and input, the work. */
int tch_receipt_settings(const struct tch_receipt *r, struct tch_buf *document, tacho_error *err);

/** Parses the text of a head or of a whole receipt, which it takes over from b.
    tch_receipt_release() in any case. 0, TACHO_EPARSE, TACHO_ENOMEM. */
int tch_receipt_parse(struct tch_receipt *r, struct tch_buf *b, tacho_error *err);
void tch_receipt_release(struct tch_receipt *r);

/** The JSON of a member, or NULL. */
const char *tch_receipt_raw(const struct tch_receipt *r, const char *key, size_t *len);

/** Copies the text of a member to out: "" when it is no string or does not fit. */
void tch_receipt_text(const struct tch_receipt *r, const char *key, char *out, size_t size);

/** Writes the commit for people: its first digits, "-dirty" when files differed from it; "" when
    there is none. */
void tch_receipt_commit(const struct tch_receipt *r, char *out, size_t size);

/** Says whether the run was made with files that differ from its commit. */
bool tch_receipt_dirty(const struct tch_receipt *r);

/** The number that member `sub` of a member is, or the member itself when sub is NULL; or
    `otherwise`. */
double tch_receipt_number(const struct tch_receipt *r, const char *key, const char *sub,
                          double otherwise);

/** Sums up the samples and sets the members that tell the outcome, in place of those that it has.
    0 or TACHO_ENOMEM. */
int tch_receipt_end(struct tch_receipt *r, const struct tch_run_end *end, tacho_error *err);

/** Writes r: of one that has ended with statistics, warnings and samples, of any other the members
    as they are. */
void tch_receipt_write(struct tch_buf *b, const struct tch_receipt *r);

/** Writes it to FOLDER/run.json, whole or not at all. */
int tch_receipt_save(const struct tch_receipt *r, const char *folder, tacho_error *err);

/**
 * Reads FOLDER/run.json; where that has no end yet, the samples of samples.jsonl, too, of which a
 * last line that was cut is left out. *recovered tells. Statistics and warnings of samples are made
 * when they are missing.
 */
int tch_receipt_load(struct tch_receipt *r, const char *folder, bool *recovered, tacho_error *err);

/**
 * Adds a metric that is recorded to a run that was read from a folder, unless the run has it. Spans
 * are read from the recordings in the folder. Of stages and latencies only the p50 and p99 of a run
 * are kept.
 *
 * @return 0, TACHO_EINVAL when no run has it, TACHO_ELIMIT, TACHO_EIO, TACHO_ENOMEM
 */
int tch_receipt_add_metric(struct tch_receipt *r, const char *folder, const struct tch_metric *m,
                           tacho_error *err);

/** Reads where the energy of the runs comes from. */
void tch_receipt_power(const struct tch_receipt *r, struct tch_power_origin *ret);

/** Adds to the title of the energy whether it was measured or estimated. */
void tch_receipt_title_energy(struct tch_receipt *r);

/** Sums the samples up into rows. */
int tch_receipt_sum(struct tch_receipt *r, tacho_error *err);

#endif
