/* Stores each distinct place once. Many places share an unwind row, so rows are stored once,
   too. */
#include "code_place.h"

#include "base/array.h"

enum { ROW_UNKNOWN = 0, ROW_NONE = 1, ROW_FIRST = 2 };

struct key {
    uint64_t addr;
    uint64_t object;
};

bool tch_code_places_init(struct tch_code_places *places)
{
    *places = (struct tch_code_places){0};
    return tch_code_places_add(places, TCH_OBJECT_NOWHERE, 0) == TCH_PLACE_CUT &&
           tch_code_places_add(places, TCH_OBJECT_NOWHERE, UINT64_MAX) == TCH_PLACE_PREEMPTED;
}

void tch_code_places_release(struct tch_code_places *places)
{
    tch_intern_release(&places->keys);
    tch_intern_release(&places->rows);
    free(places->list);
    *places = (struct tch_code_places){0};
}

uint32_t tch_code_places_add(struct tch_code_places *places, uint32_t object, uint64_t addr)
{
    struct key key = {addr, object};
    uint32_t id = tch_intern_add(&places->keys, (const char *)&key, sizeof key);

    if (id == TCH_INTERN_NONE || id < places->count)
        return id;
    if (tch_array_reserve(&places->list, &places->cap, places->count + 1) < 0)
        return TCH_INTERN_NONE;
    places->list[places->count++] = (struct tch_code_place){.addr = addr, .object = object};
    return id;
}

int tch_code_places_row(struct tch_code_places *places, uint32_t id, struct tch_code_object *object,
                        struct tch_cfi_row *ret)
{
    struct tch_code_place *place = &places->list[id];
    uint32_t row;

    if (place->row == ROW_NONE)
        return 0;
    if (place->row >= ROW_FIRST) {
        memcpy(ret, tch_intern_text(&places->rows, place->row - ROW_FIRST), sizeof *ret);
        return 1;
    }
    if (!tch_code_object_row(object, place->addr, ret)) {
        place->row = ROW_NONE;
        return 0;
    }
    row = tch_intern_add(&places->rows, (const char *)ret, sizeof *ret);
    if (row == TCH_INTERN_NONE)
        return -1;
    place->row = row + ROW_FIRST;
    return 1;
}
