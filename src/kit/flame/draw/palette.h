/*
 * The colour of a frame.
 */
#ifndef TCH_PALETTE_H
#define TCH_PALETTE_H

#include <stdint.h>

#include "kit/flame/read/frame_name.h"

/** The order is that of tch_palettes. */
enum tch_palette { TCH_PALETTE_HASH, TCH_PALETTE_LIBRARY, TCH_PALETTE_LANGUAGE };

/** Their names; NULL-ended. */
extern const char *const tch_palettes[];

struct tch_color {
    uint8_t r, g, b;
};

/** Of a frame by its name with marks: the same name has the same colour in every picture. */
struct tch_color tch_palette_color(enum tch_palette palette, struct tch_span name);

/** Of a frame of a differential: red for more, blue for less, white for the same.
    change is -1 to 1. */
struct tch_color tch_palette_change(double change);

/** What a name shows of its origin, pointing into it or constant: the library, module, crate,
    package or "kernel"; and the language it was written in. */
struct tch_span tch_library_of(struct tch_span name);
const char *tch_language_of(struct tch_span name);

/** The languages that have a colour, NULL-ended, for a legend. */
extern const char *const tch_languages[];
struct tch_color tch_language_color(const char *language);

#endif
