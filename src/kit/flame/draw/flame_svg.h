/*
 * A layout as a picture: one SVG file that needs no other file, with a script for search and zoom.
 * And the colours of its frames.
 */
#ifndef TCH_FLAME_SVG_H
#define TCH_FLAME_SVG_H

#include "base/sink.h"
#include "flame_layout.h"
#include "kit/flame/read/frame_name.h"

/** The order is that of tch_palettes. */
enum tch_palette { TCH_PALETTE_HASH, TCH_PALETTE_LIBRARY, TCH_PALETTE_LANGUAGE };

/** Their names; NULL-ended. */
extern const char *const tch_palettes[];

struct tch_color {
    uint8_t r, g, b;
};

/** Returns the colour of a frame by its name with marks. It is the same in every picture. By
    TCH_PALETTE_HASH functions of the kernel, marked "_[k]", are blue and others warm. */
struct tch_color tch_palette_color(enum tch_palette palette, struct tch_span name);

/** Returns the colour of a frame of a differential: red for more, blue for less, white for the
   same. change is -1 to 1. */
struct tch_color tch_palette_change(double change);

/** Guess the origin of a function by its name: the library, module, crate, package or "kernel"
    (points into the name or is constant), and the language it is written in. */
struct tch_span tch_library_of(struct tch_span name);
const char *tch_language_of(struct tch_span name);

/** The languages that have a colour, NULL-ended, for a legend. */
extern const char *const tch_languages[];
struct tch_color tch_language_color(const char *language);

/** The order is that of tch_themes. */
enum tch_theme { TCH_THEME_AUTO, TCH_THEME_LIGHT, TCH_THEME_DARK };

/** Their names; NULL-ended. */
extern const char *const tch_themes[];

enum { TCH_SVG_FRAMES = 20000 }; /**< a browser handles them with ease; less than 5 MB */

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

/** Writes the layout as lines of level, x, w and title, separated by tabs, after a header line. */
void tch_frames_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                      const char *count_name, struct tch_sink *sink);

/* flame.css and flame.js, which the build puts into the program. They are the same in every file,
   so that a page's policy can allow them by their hash. */
extern const char tch_flame_css[];
extern const size_t tch_flame_css_len;
extern const char tch_flame_js[];
extern const size_t tch_flame_js_len;

#endif
