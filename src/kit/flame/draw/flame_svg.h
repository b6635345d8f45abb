/*
 * A layout as a picture: one SVG file that needs nothing else, with a script for search, zoom and
 * the rest inside.
 */
#ifndef TCH_FLAME_SVG_H
#define TCH_FLAME_SVG_H

#include "base/sink.h"
#include "flame_layout.h"
#include "palette.h"

/** The order is that of tch_themes. */
enum tch_theme { TCH_THEME_AUTO, TCH_THEME_LIGHT, TCH_THEME_DARK };

/** Their names; NULL-ended. */
extern const char *const tch_themes[];

enum { TCH_SVG_FRAMES = 20000 }; /**< what a browser handles with ease, in less than 5 MB */

struct tch_svg_options {
    const char *title;      /**< or NULL: "Flame Graph", "Icicle Graph" */
    const char *subtitle;   /**< or NULL */
    const char *notes;      /**< or NULL: kept in the file, not shown */
    const char *label;      /**< or NULL: what the file was made for */
    const char *count_name; /**< or NULL: "samples" */
    unsigned width;         /**< or 0: 1200 */
    bool inverted;          /**< the root on top */
    enum tch_palette palette;
    enum tch_theme theme;
};

int tch_svg_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                  const struct tch_svg_options *options, struct tch_sink *sink);

/** The layout as lines of level, x, w and title, separated by tabs, under a line that says so. */
void tch_frames_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                      const char *count_name, struct tch_sink *sink);

#endif
