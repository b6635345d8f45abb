/*
 * Draws a layout as one SVG file that needs no other file, with a script for search and zoom.
 */
#ifndef TCH_FLAME_SVG_H
#define TCH_FLAME_SVG_H

#include "base/sink.h"
#include "flame_layout.h"
#include "palette.h"

/** Themes, in the order of tch_themes. */
enum tch_theme { TCH_THEME_AUTO, TCH_THEME_LIGHT, TCH_THEME_DARK };

/** The names of the themes, NULL-terminated. */
extern const char *const tch_themes[];

/** A browser handles this many easily; the file has less than 5 MB. */
enum { TCH_SVG_FRAMES = 20000 };

struct tch_svg_options {
    const char *title;      /**< NULL: "Flame Graph" or "Icicle Graph" */
    const char *subtitle;   /**< may be NULL */
    const char *notes;      /**< stored in the file, not shown; may be NULL */
    const char *label;      /**< name of the profiled program or benchmark; may be NULL */
    const char *count_name; /**< unit of the counts; NULL: "samples" */
    unsigned width;         /**< pixels; 0: 1200 */
    bool inverted;          /**< draw the root at the top */
    bool no_table;          /**< in a differential: leave out the table below the picture */
    enum tch_palette palette;
    enum tch_theme theme;
};

/** Draws the frames of `layout`. The script finds those of `all`, too. */
int tch_svg_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                  const struct tch_layout *all, const struct tch_svg_options *options,
                  struct tch_sink *sink);

/** Writes a header line, then one line per frame: level, x, w and title, separated by tabs. */
void tch_frames_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                      const char *count_name, struct tch_sink *sink);

/* flame.css and flame.js, which the build embeds. They are the same in every file, so that the
   content security policy of a page can allow them by their hash. */
extern const char tch_flame_css[];
extern const size_t tch_flame_css_len;
extern const char tch_flame_js[];
extern const size_t tch_flame_js_len;

#endif
