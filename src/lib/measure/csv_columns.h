/*
 * The columns of each kind of CSV file, for the writer and the reader.
 */
#ifndef TCH_CSV_COLUMNS_H
#define TCH_CSV_COLUMNS_H

#include <tacho/csv.h>

enum { TCH_CSV_KINDS = 6, TCH_CSV_COLUMNS = 8 };

enum tch_csv_type { TCH_CSV_U64, TCH_CSV_F64, TCH_CSV_TEXT };

struct tch_csv_column {
    const char *name;
    enum tch_csv_type type;
    unsigned offset; /* offset of the field in the row's struct; the length of a text follows it */
};

struct tch_csv_kind {
    const char *file;   /* name of the file: "latency" */
    const char *header; /* first line of the file, with its LF */
    unsigned count;
    const char *short_header; /* first line of a file with the first columns only; NULL: none */
    unsigned short_count;
    struct tch_csv_column columns[TCH_CSV_COLUMNS];
};

extern const struct tch_csv_kind tch_csv_kinds[TCH_CSV_KINDS];

/** Returns the kind of that number, or NULL when there is no such kind. */
const struct tch_csv_kind *tch_csv_kind(enum tacho_csv_kind kind);

/** Rounds nanoseconds to the microseconds of latency.csv, half up. */
static inline uint64_t tch_csv_us(uint64_t ns)
{
    return ns / 1000 + (ns % 1000 >= 500);
}

#endif
