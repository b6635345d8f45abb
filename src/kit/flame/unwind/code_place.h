/*
 * Places in code: every distinct address of every object once, known by a small number, with how
 * to unwind from it.
 */
#ifndef TCH_CODE_PLACE_H
#define TCH_CODE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code_object.h"
#include "kit/flame/frame_names.h"

/** Number 0 is none: where a stack could not be followed any further. */
enum { TCH_PLACE_CUT = 0 };

struct tch_place {
    uint64_t addr; /**< as linked; of a caller: one before the return address */
    uint32_t object;
    uint32_t row; /* 0: not looked for, 1: none, else in rows, plus 2 */
};

/** All zero but initialised by tch_places_init(). */
struct tch_places {
    struct tch_names keys;
    struct tch_names rows; /* distinct ones */
    struct tch_place *list;
    size_t count;
    size_t cap;
};

bool tch_places_init(struct tch_places *places);
void tch_places_release(struct tch_places *places);

/** The number of a place; -1: no memory. */
int64_t tch_places_add(struct tch_places *places, uint32_t object, uint64_t addr);

/** 1 and how to unwind from there; 0: nothing is known of that; -1: no memory. */
int tch_places_row(struct tch_places *places, uint32_t id, struct tch_object *object,
                   struct tch_cfi_row *ret);

#endif
