/*
 * What the CSV writer and reader share: the columns of each kind; and where trackers write.
 */
#ifndef TCH_CSV_COLUMNS_H
#define TCH_CSV_COLUMNS_H

#include <tacho/csv.h>

enum { TCH_CSV_KINDS = 5, TCH_CSV_COLUMNS = 8 };

enum tch_csv_type { TCH_CSV_U64, TCH_CSV_F64, TCH_CSV_TEXT };

struct tch_csv_column {
    const char *name;
    enum tch_csv_type type;
    unsigned offset; /* in the row's struct; a text's length is right behind it */
};

struct tch_csv_kind {
    const char *file;   /* "latency" */
    const char *header; /* with its LF */
    unsigned count;
    struct tch_csv_column columns[TCH_CSV_COLUMNS];
};

extern const struct tch_csv_kind tch_csv_kinds[TCH_CSV_KINDS];

/** The kind, or NULL for a number that is none. */
const struct tch_csv_kind *tch_csv_kind(int kind);

/**
 * The file that a tracker of this process writes unasked: "FILE.PID.csv" in TACHO_RUN_DIR, for the
 * second one "FILE.PID.2.csv". *ret is NULL where TACHO_RUN_DIR is not set.
 */
int tch_csv_open_in_run(int kind, tacho_csv **ret, tacho_error *err);

#endif
