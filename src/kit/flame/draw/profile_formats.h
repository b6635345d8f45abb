/*
 * Profiles in the formats of others: one row of a table and one file each.
 */
#ifndef TCH_PROFILE_FORMATS_H
#define TCH_PROFILE_FORMATS_H

#include "base/sink.h"
#include "flame_layout.h"
#include "flame_svg.h"
#include "kit/flame/read/profile_read.h"

struct tch_profile {
    const struct tch_stacks *stacks;
    const struct tch_timeline *timeline; /**< or NULL where none was kept */
    const char *name;                    /**< what it was read from */
};

struct tch_format_options {
    struct tch_svg_options svg;
    double least_percent; /**< narrower frames are not drawn */
    size_t columns;       /**< of the text tree; 0: no limit */
    bool utf8;            /**< lines in the text tree */
};

struct tch_format {
    const char *name;
    const char *const *extensions; /**< with the point, NULL-ended */
    bool in_time;                  /**< wants the timeline */
    int (*write)(const struct tch_profile *profile, const struct tch_format_options *options,
                 struct tch_sink *sink);
};

/** By name, alphabetical; ended by one without name. */
extern const struct tch_format tch_formats[];

const struct tch_format *tch_format_by_name(const char *name);

/** By how a file's name ends; NULL when no format's name ends so. */
const struct tch_format *tch_format_by_path(const char *path);

/** The layout that a picture of the profile has. */
int tch_profile_layout(const struct tch_profile *profile, const struct tch_format_options *options,
                       size_t most, struct tch_layout *ret, tacho_error *err);

typedef int tch_format_write(const struct tch_profile *profile,
                             const struct tch_format_options *options, struct tch_sink *sink);

tch_format_write tch_write_chrome;
tch_format_write tch_write_folded;
tch_format_write tch_write_pprof;
tch_format_write tch_write_speedscope;
tch_format_write tch_write_tree;

#endif
