/*
 * Packs the frames that are too narrow to draw into the picture, so that its script can search
 * them, and draw them where the user zooms in.
 */
#ifndef TCH_FLAME_DETAIL_H
#define TCH_FLAME_DETAIL_H

#include "flame_svg.h"

/** Limit of the packed frames of a picture. A browser unpacks and searches them in less than a
    second. */
enum { TCH_DETAIL_FRAMES = 100000 };

/** Frames of a smaller part of all samples are not packed, so that their layout fits into memory.
   In a capture of 50 seconds at 1,000 samples per second no frame is smaller. */
#define TCH_DETAIL_SHARE (1.0 / 50000)

/**
 * Adds a <metadata class="detail"> with the frames of `all` that are narrower than layout->least:
 * gzip in base64. The text starts with the number of names and a line for each: its colour and the
 * name. Each further line is a frame: level, x, w and the number of the name; in a differential
 * also the sign and the opacity of the change, and the end of the title. Tabs separate them.
 *
 * @param full_change  the change that has the full colour
 * @return 1 if it was added, 0 if there are no such frames or too many bytes of them, TACHO_ENOMEM
 */
int tch_detail_add(struct tch_buf *b, const struct tch_stacks *stacks,
                   const struct tch_layout *layout, const struct tch_layout *all,
                   const struct tch_svg_options *options, double full_change, tacho_error *err);

#endif
