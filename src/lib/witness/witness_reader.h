/*
 * The reader of witness files. It has two halves: lines (witness_reader.c) and the segments of RVF
 * files (witness_rvf.c), whose payloads are such lines.
 */
#ifndef TCH_WITNESS_READER_H
#define TCH_WITNESS_READER_H

#include <tacho/witness.h>

#include "base/buf.h"
#include "base/lines.h"
#include "base/owned_fd.h"
#include "rvf.h"
#include "witness_chain.h"
#include "witness_entry.h"
#include "witness_log.h"

/** Where the reader is. This decides which lines may follow. */
enum tch_witness_place { AT_START, LOG_NAMED, IN_LOG, AFTER_LOG, BETWEEN_LOGS, AT_END };

/** The bytes of the file: first those at data, then those of the descriptor. */
struct tch_witness_input {
    struct tch_owned_fd file; /**< none: the file is in memory */
    const char *data;
    size_t len;
    char first[4];       /**< the first bytes of the file, which show its format */
    struct tch_buf path; /**< for messages */
};

struct tacho_witness_reader {
    struct tch_witness_input input;
    struct tch_lines lines; /**< lines of the file, or of a meta segment */
    enum tch_witness_place place;
    struct tch_chain inner; /**< the chain of the log that is being read */
    struct tch_chain outer; /**< the chain of the bundle's own lines */
    struct tch_witness_room room;
    uint64_t in_log;     /**< number of entries of this log so far */
    struct tch_buf head; /**< the texts of a bundle's first line, each terminated by NUL */
    size_t head_at[4];
    tacho_error fail;

    /* The values that the getters of witness_info.c return. */
    enum tacho_witness_kind kind;
    bool closed;
    uint64_t logs;
    uint64_t entry_count;
    uint64_t line;
    const char *hash;   /**< last hash; NULL before the first line */
    struct tch_buf log; /**< name of the log */

    /* Used for RVF files only. */
    bool is_rvf;
    bool in_meta; /**< `lines` are those of a meta segment */
    struct tch_rvf_reader rvf;
    struct tch_rvf_chain chain; /**< the chain of entries of the log that is being read */
    struct tch_buf entries;     /**< the entries that its witness segment must contain */
    uint64_t time_ns;           /**< time of its last entry */
    struct tch_buf last_hashes; /**< last hashes of all logs, as in the bundle's last line */
};

/** Reads bytes of the file; ctx is a struct tch_witness_input. */
tch_lines_source tch_witness_input_read;

/** Checks a line: its place in the chain, whether its kind may follow here, and its content.
    Sets *kind. */
int tch_witness_line_read(tacho_witness_reader *r, const struct tch_line *line,
                          enum tch_witness_kind *kind, tacho_witness_entry *entry,
                          tacho_error *err);

#endif
