/*
 * The results of the settings of a grid, for the files of attention_results.
 */
#ifndef EXAMPLE_RESULTS_H
#define EXAMPLE_RESULTS_H

#include <stddef.h>
#include <stdint.h>

enum { NAME_SIZE = 128, SETTINGS_MAX = 1000 };

/* The summary of a file of samples: of the baseline, a control (eps alone) or a setting. */
struct setting {
    char name[NAME_SIZE];
    size_t samples;
    uint64_t p95_us;
    double peak_bytes; /* mean over samples */
    double joules;     /* sum; NaN: not measured */
    double delta;      /* mean coherence delta */
    double accuracy;   /* share that passes */
    double kv_cache;   /* reduction */
    double cut;        /* share of samples in which the cut removed edges */
    int reproduced;    /* 1: yes, 0: no, -1: not tried */

    const struct setting *eps; /* of a setting: its control, with the same tau */
};

/** The baseline, then the controls, then the settings. */
struct results {
    struct setting of[SETTINGS_MAX];
    int first; /* setting */
    int count;
};

/** Reads the files of the runs in a folder. `reproduced` is a file of lines "NAME yes" and "NAME
    no", which say whether a second run decided the same; NULL: not tried. Returns 0, or -1 after a
    message on stderr. */
int results_read(struct results *r, const char *dir, const char *reproduced);

/** Returns 1 - now / before, or NaN where that is not known. */
double results_reduction(double now, double before);

/** Returns the reduction of the KV cache that is due to the cuts of a setting. */
double results_by_cut(const struct setting *s);

/** Writes a bar for each setting: what eps saves of the KV cache, and what the cut saves. */
int results_figure(const struct results *r, const char *path);

/** Prints the table, then the success criteria that are met and not met. */
void results_print(const struct results *r);

/** Prints an error about a file on stderr. Returns -1. */
int results_complain(const char *path, const char *why);

#endif
