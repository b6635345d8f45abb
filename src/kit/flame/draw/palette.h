/*
 * Chooses the colours of frames.
 */
#ifndef TCH_PALETTE_H
#define TCH_PALETTE_H

#include <stdint.h>

#include "base/text_span.h"
#include "kit/flame/stack/stacks.h"

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

/** The colour of a thread that waits for a CPU, in every palette. */
extern const struct tch_color tch_preempted_color;

/** Returns the colour of a change in a differential: red for 1, blue for -1, grey for 0. */
struct tch_color tch_palette_change(int sign);

/** Returns the opacity of the colour of a change, if `full` is the change that has the full
    colour. */
double tch_palette_opacity(const struct tch_change *change, double full);

/** Guess the origin of a function by its name. tch_library_of() returns the library, module, crate,
    package or "kernel", which points into the name or is constant. tch_language_of() returns the
    language. */
struct tch_span tch_library_of(struct tch_span name);
const char *tch_language_of(struct tch_span name);

/** The languages that have a colour, NULL-terminated, for a legend. */
extern const char *const tch_languages[];
struct tch_color tch_language_color(const char *language);

#endif
