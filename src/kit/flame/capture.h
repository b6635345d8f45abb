/*
 * One capture: from a request to a file, whatever the profiler.
 */
#ifndef TCH_CAPTURE_H
#define TCH_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include <tacho/flame.h>

#include "base/buf.h"
#include "kit/flame/backend/process_family.h"
#include "stacks.h"

/** What tacho_flame_* reads. */
struct tacho_flame {
    char *svg_path;
    char *folded_path; /**< or NULL */
    char profiler[32];
    char event[32];
    uint64_t duration_ns;
    uint64_t after_ns;
    uint64_t samples;
    uint64_t lost;
    uint64_t truncated;
    bool kernel;
    char notice[2 * sizeof(tacho_error)]; /**< or empty */
    int wait_status;
};

struct tch_backend;

/** What a back end gets and fills. */
struct tch_capture {
    tacho_flame_request request;
    const struct tch_backend *backend;
    const char *folder; /**< for the result and for intermediate files */
    const char *label;
    struct tch_orphans orphans; /**< with TACHO_FLAME_ORPHANS */
    struct tch_buf svg_path;
    struct tch_stacks stacks; /**< what to draw, unless `drawn` */
    bool drawn;               /**< the back end wrote the SVG itself */
    uint64_t ended_ns;        /**< when the command did */
    const char *count_name;   /**< of what is counted; NULL: samples */
    struct tacho_flame result;
};

/** Whether the caller has said to stop. */
bool tch_capture_stopped(const struct tch_capture *c);

#endif
