/*
 * The CSV files of trackers in the folder of a run.
 */
#ifndef TCH_CSV_WRITE_H
#define TCH_CSV_WRITE_H

#include <tacho/csv.h>

/**
 * Opens the file of a tracker in TACHO_RUN_DIR: "FILE.PID.csv", and "FILE.PID.2.csv" for the second
 * tracker. *ret is NULL when TACHO_RUN_DIR is not set.
 */
int tch_csv_open_in_run(enum tacho_csv_kind kind, tacho_csv **ret, tacho_error *err);

#endif
