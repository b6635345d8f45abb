/*
 * Reads CSV files by their descriptors.
 */
#ifndef TCH_CSV_READ_H
#define TCH_CSV_READ_H

#include <tacho/csv.h>

/** Reads rows like tacho_csv_read() and closes the descriptor. `name` is used in messages. */
int tch_csv_read_fd(int fd, const char *name, enum tacho_csv_kind kind, tacho_csv_row_fn *each,
                    void *ctx, tacho_error *err);

#endif
