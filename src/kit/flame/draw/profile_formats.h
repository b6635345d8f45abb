/*
 * Output formats of profiles. Each is one row of a table and one file.
 *
 * This is the face of src/kit/flame/draw/.
 */
#ifndef TCH_PROFILE_FORMATS_H
#define TCH_PROFILE_FORMATS_H

#include "base/sink.h"
#include "flame_layout.h"
#include "flame_svg.h"
#include "kit/flame/read/profile_read.h"
#include "kit/flame/stack/origins.h"

struct tch_profile {
    const struct tch_stacks *stacks;
    const struct tch_timeline *timeline; /**< may be NULL */
    const char *name;    /**< the file that the profile was read from, or its label */
    const char *unit;    /**< unit of the weights; NULL: samples */
    const char *measure; /**< what the weights measure if they are times: "cpu"; NULL: unknown */
    uint64_t period_ns;  /**< CPU time of a sample, if the unit is samples; or 0 */
    const struct tch_origins *origins; /**< NULL: unknown */
};

struct tch_format_options {
    struct tch_svg_options svg;
    double least_percent; /**< minimum width of a frame, in percent */
    size_t columns;       /**< width of the text tree; 0: no limit */
    bool utf8;            /**< draw lines in the text tree */
};

struct tch_format {
    const char *name;
    const char *const *extensions; /**< with the dot, NULL-terminated */
    bool in_time;                  /**< uses the timeline */
    bool is_for_people;            /**< text to read, not data for programs */
    int (*write)(const struct tch_profile *profile, const struct tch_format_options *options,
                 struct tch_sink *sink);
};

/** All formats, sorted by name; the name of the last row is NULL. */
extern const struct tch_format tch_formats[];

const struct tch_format *tch_format_by_name(const char *name);

/** Finds a format by the extension of a file, or returns NULL. */
const struct tch_format *tch_format_by_path(const char *path);

/** Computes the layout of the profile with at most `most` frames. */
int tch_profile_layout(const struct tch_profile *profile, const struct tch_format_options *options,
                       size_t most, struct tch_layout *ret, tacho_error *err);

typedef int tch_format_write(const struct tch_profile *profile,
                             const struct tch_format_options *options, struct tch_sink *sink);

tch_format_write tch_write_changes;
tch_format_write tch_write_chrome;
tch_format_write tch_write_folded;
tch_format_write tch_write_pprof;
tch_format_write tch_write_speedscope;
tch_format_write tch_write_tree;

#endif
