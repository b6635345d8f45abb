/* Distinct places and their unwind rows, of which there are few. */
#include "code_object.h"

#include "kit/flame/grow.h"

enum { ROW_UNKNOWN = 0, ROW_NONE = 1, ROW_FIRST = 2 };

struct key {
    uint64_t addr;
    uint64_t object;
};

bool tch_code_places_init(struct tch_code_places *places)
{
    *places = (struct tch_code_places){0};
    return tch_code_places_add(places, TCH_OBJECT_NOWHERE, 0) == TCH_PLACE_CUT;
}

void tch_code_places_release(struct tch_code_places *places)
{
    tch_names_release(&places->keys);
    tch_names_release(&places->rows);
    free(places->list);
    *places = (struct tch_code_places){0};
}

int64_t tch_code_places_add(struct tch_code_places *places, uint32_t object, uint64_t addr)
{
    struct key key = {addr, object};
    int64_t id = tch_names_add(&places->keys, (const char *)&key, sizeof key);

    if (id < 0 || (size_t)id < places->count)
        return id;
    if (!tch_grow((void **)&places->list, &places->cap, places->count + 1, sizeof *places->list))
        return -1;
    places->list[places->count++] = (struct tch_code_place){.addr = addr, .object = object};
    return id;
}

int tch_code_places_row(struct tch_code_places *places, uint32_t id, struct tch_code_object *object,
                        struct tch_cfi_row *ret)
{
    struct tch_code_place *place = &places->list[id];
    int64_t row;
    size_t len;

    if (place->row == ROW_NONE)
        return 0;
    if (place->row >= ROW_FIRST) {
        memcpy(ret, tch_names_text(&places->rows, place->row - ROW_FIRST, &len), sizeof *ret);
        return 1;
    }
    if (!tch_code_object_row(object, place->addr, ret)) {
        place->row = ROW_NONE;
        return 0;
    }
    row = tch_names_add(&places->rows, (const char *)ret, sizeof *ret);
    if (row < 0)
        return -1;
    place->row = (uint32_t)row + ROW_FIRST;
    return 1;
}
