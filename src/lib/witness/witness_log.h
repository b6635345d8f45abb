/*
 * The lines of logs and bundles, for their writers and their reader. In a bundle of plain lines
 * (v1) the line that names a log follows the lines of the log. In an RVF file (v2) it precedes
 * them.
 */
#ifndef TCH_WITNESS_LOG_H
#define TCH_WITNESS_LOG_H

#include <stdint.h>

#include <tacho/witness.h>

#include "base/buf.h"
#include "base/lines.h"

#define TCH_WITNESS_BUNDLE "tacho.witness.bundle.v2"

/* The start of the first line of a bundle: in a file of plain lines (v1), and in an RVF file
   (v2). */
#define TCH_WITNESS_HEAD_V1 "{\"schema\":\"tacho.witness.bundle.v1\","
#define TCH_WITNESS_HEAD_V2 "{\"schema\":\"tacho.witness.bundle.v2\","

/* The start of the lines of a bundle that name a log or count the logs. */
#define TCH_WITNESS_LOG_START "{\"log"

/** The kind of a line, recognised by its first key. */
enum tch_witness_kind {
    TCH_WITNESS_HEAD,  /**< "schema": the first line of a bundle */
    TCH_WITNESS_ENTRY, /**< "q_hash": an entry of a log */
    TCH_WITNESS_END,   /**< "entries": the last line of a log */
    TCH_WITNESS_LOG,   /**< "log": names a log of a bundle */
    TCH_WITNESS_FOOT,  /**< "logs": the last line of a bundle */
    TCH_WITNESS_OTHER,
};

/**
 * Reads the next line of any kind and checks it like tacho_witness_next(). Returns 1, 0, or an
 * error. `entry` is set for an entry only. `line` is always set and is valid until the next call.
 */
int tch_witness_next_line(tacho_witness_reader *r, enum tch_witness_kind *kind,
                          struct tch_line *line, tacho_witness_entry *entry, tacho_error *err);

#endif
