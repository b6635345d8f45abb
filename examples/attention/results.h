/*
 * What a setting of the grid came to, for the files of attention_results.
 */
#ifndef EXAMPLE_RESULTS_H
#define EXAMPLE_RESULTS_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_SIZE = 128, SETTINGS_MAX = 1000 };

/* One file of samples, summed up: the baseline, a control (eps alone) or a setting. */
struct setting {
    char name[NAME_SIZE];
    size_t samples;
    uint64_t p95_us;
    double peak_bytes; /* mean over samples */
    double joules;     /* sum; NaN: not measured */
    double delta;      /* mean coherence delta */
    double accuracy;   /* share that passes */
    double kv_cache;   /* reduction */
    double cut;        /* share of samples in which something was cut */
    int reproduced;    /* 1, 0, or -1: nobody tried */

    const struct setting *eps; /* of a setting: its control, with the same tau */
};

/** The baseline, then the controls, then the settings. */
struct results {
    struct setting of[SETTINGS_MAX];
    int first; /* setting */
    int count;
};

/** Reads what the runs left in a folder. `reproduced` is a file of lines "NAME yes" and "NAME no":
    did a second run decide the same? NULL: nobody tried. 0, or -1 after a complaint. */
int results_read(struct results *r, const char *dir, const char *reproduced);

/** Returns 1 - now / before, and NaN where that is not known. */
double results_reduction(double now, double before);

/** Returns the reduction of the KV cache that a setting owes to its cuts. */
double results_by_cut(const struct setting *s);

/** Writes a bar for each setting: what eps saves of the KV cache, and what the cut saves. */
int results_figure(const struct results *r, const char *path);

/** Prints the table, then the success criteria that are met and not met. */
void results_print(const struct results *r);

/** Complains about a file on stderr. Returns -1. */
int results_complain(const char *path, const char *why);

#endif
