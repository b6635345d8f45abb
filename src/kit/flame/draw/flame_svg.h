/*
 * Draws a layout as one SVG file that needs no other file, with a script for search and zoom. Also
 * chooses the colours of frames.
 */
#ifndef TCH_FLAME_SVG_H
#define TCH_FLAME_SVG_H

#include "base/sink.h"
#include "base/text_span.h"
#include "flame_layout.h"

/** Palettes, in the order of tch_palettes. */
enum tch_palette { TCH_PALETTE_HASH, TCH_PALETTE_LIBRARY, TCH_PALETTE_LANGUAGE };

/** The names of the palettes, NULL-terminated. */
extern const char *const tch_palettes[];

struct tch_color {
    uint8_t r, g, b;
};

/** Returns the colour of a frame by its name with marks. A name has the same colour in every
    picture. With TCH_PALETTE_HASH, kernel functions, marked "_[k]", are blue and others have warm
    colours. */
struct tch_color tch_palette_color(enum tch_palette palette, struct tch_span name);

/** Returns the colour of a change in a differential: red for 1, blue for -1, grey for 0. */
struct tch_color tch_palette_change(int sign);

/** Guess the origin of a function by its name. tch_library_of() returns the library, module, crate,
    package or "kernel", which points into the name or is constant. tch_language_of() returns the
    language. */
struct tch_span tch_library_of(struct tch_span name);
const char *tch_language_of(struct tch_span name);

/** The languages that have a colour, NULL-terminated, for a legend. */
extern const char *const tch_languages[];
struct tch_color tch_language_color(const char *language);

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

int tch_svg_write(const struct tch_stacks *stacks, const struct tch_layout *layout,
                  const struct tch_svg_options *options, struct tch_sink *sink);

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
