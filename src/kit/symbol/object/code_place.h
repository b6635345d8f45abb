/*
 * Places: addresses in objects. Each distinct place has a small number, and caches how to unwind
 * from it.
 */
#ifndef TCH_CODE_PLACE_H
#define TCH_CODE_PLACE_H

#include "code_object.h"

/** Numbers that are not places. As a frame, TCH_PLACE_CUT marks a stack that could not be unwound
   any further, and TCH_PLACE_PREEMPTED, at the leaf, one whose thread waits for a CPU. */
enum { TCH_PLACE_CUT, TCH_PLACE_PREEMPTED };

struct tch_code_place {
    uint64_t addr; /**< as linked; for a caller: one before the return address */
    uint32_t object;
    uint32_t row; /* 0: not searched yet, 1: there is none, else its number in rows plus 2 */
};

/** All places of a capture. Initialise by tch_code_places_init(). */
struct tch_code_places {
    struct tch_intern keys;
    struct tch_intern rows; /* distinct rows; many places share one */
    struct tch_code_place *list;
    size_t count;
    size_t cap;
};

bool tch_code_places_init(struct tch_code_places *places);
void tch_code_places_release(struct tch_code_places *places);

/** Finds or adds a place. Returns its number, or TCH_INTERN_NONE if memory runs out. */
uint32_t tch_code_places_add(struct tch_code_places *places, uint32_t object, uint64_t addr);

/** Finds how to unwind from a place. @return 1: found; 0: unknown; -1: out of memory */
int tch_code_places_row(struct tch_code_places *places, uint32_t id, struct tch_code_object *object,
                        struct tch_cfi_row *ret);

#endif
