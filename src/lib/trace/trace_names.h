/*
 * The names of a recording. A name is written once, before its first use.
 */
#ifndef TCH_TRACE_NAMES_H
#define TCH_TRACE_NAMES_H

#include "trace_recorder.h"

/** Return the number of a site or text, or 0 when there is no room for another name. They take
    the lock for new names only. */
uint32_t tch_trace_site(const char *name, const char *category);
uint32_t tch_trace_text(const char *text);

/** Returns the number of values that follow a plain begin of the site. Needs no lock. */
unsigned tch_trace_site_values(uint32_t site);

/** Returns whether all these words are plain records without values. Needs no lock. */
bool tch_trace_all_plain(const uint64_t *words, size_t count);

/** Does what tch_trace_site() does, for a site whose begins carry the values of these arguments.
    All of them must be numbers. */
uint32_t tch_trace_site_args(const char *name, const char *category, tacho_fields args);

/** Copies all names to a new recording. Sites keep their numbers for the life of the process.
    The lock must be held. */
bool tch_table_move(void);

/** Detaches the tables from the file and keeps them in memory. The lock must be held. */
void tch_table_detach(void);

#endif
