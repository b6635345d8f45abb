/*
 * The outputs of a gate: its page, files for CI, and what GitHub Actions shows.
 */
#ifndef TCH_GATE_REPORT_H
#define TCH_GATE_REPORT_H

#include "gate_loop.h"
#include "kit/report/verdict_formats.h"

struct tch_gate_output {
    const char *path; /**< NULL: not asked for; "-": the caller prints it */
    const struct tch_verdict_format *format;
};

struct tch_gate_report {
    const struct tch_gate_output *files;
    size_t file_count;
    const char *html; /**< path of the page; NULL: gate.html in the folder of the runs */
    const char
        *link;  /**< URL of the page, for the comment; NULL: that of the CI job, or the path */
    bool flame; /**< profile benches that FAILed */
    char page[PATH_MAX]; /**< is set to the path of the page; "": it could not be written */
};

/** Writes all outputs, even if one of them fails. Complains of each that cannot be written. Returns
    0, or a negative code after a complaint. */
int tch_gate_write(struct tch_gate *g, struct tch_gate_report *r,
                   const struct tch_gate_watch *watch);

/** Returns whether this process runs in a workflow of GitHub Actions. */
bool tch_on_github(void);

#endif
