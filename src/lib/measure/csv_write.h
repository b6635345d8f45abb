/*
 * The CSV files of trackers in the folder of a run.
 */
#ifndef TCH_CSV_WRITE_H
#define TCH_CSV_WRITE_H

#include <tacho/csv.h>

/** The columns of memory.csv. */
enum tch_csv_columns {
    TCH_CSV_SHORT,    /**< without the categories that a program counts */
    TCH_CSV_REFERENCE /**< all of them, as ruvector-profiler writes them */
};

/** Names of these, for options; NULL-terminated. */
extern const char *const tch_csv_columns_names[];

/**
 * Opens memory.csv like tacho_csv_open(), with these columns. In mode APPEND, a file that exists
 * keeps its columns. Categories in rows are not written to a file without their columns.
 */
int tch_csv_open_memory(const char *path, enum tch_csv_columns columns, enum tacho_csv_mode mode,
                        tacho_csv **ret, tacho_error *err);

/**
 * Opens the file of a tracker in TACHO_RUN_DIR: "FILE.PID.csv", and "FILE.PID.2.csv" for the second
 * tracker. *ret is NULL when TACHO_RUN_DIR is not set.
 */
int tch_csv_open_in_run(enum tacho_csv_kind kind, tacho_csv **ret, tacho_error *err);

#endif
