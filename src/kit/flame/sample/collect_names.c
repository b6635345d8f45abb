/* Converts stacks of places to stacks of names. */
#include "collect_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Names all stacks. places and names have room for TCH_STACK_DEEPEST; a deeper stack loses its leaf
   end. */
static int name_stacks(const struct tch_symbols *symbols, const struct tch_collect *c,
                       uint32_t *places, uint32_t *names, struct tch_stacks *ret, tacho_error *err)
{
    for (uint32_t i = 0; i < c->stacks.count; i++) {
        size_t count = tch_stacks_frames(&c->stacks, i, places);
        size_t len;
        int64_t status;

        if (c->stacks.list[i].count == 0)
            continue;
        names[0] = tch_intern_add(&ret->names, tch_intern_text(&c->comms, places[0]),
                                  tch_intern_len(&c->comms, places[0]));
        if (names[0] == TCH_INTERN_NONE)
            return tch_fail_memory(err);
        len = 1;
        for (size_t k = 1; k < count; k++) {
            struct tch_naming naming = symbols->list[places[k]];

            for (uint32_t m = 0; m < naming.count && len < TCH_STACK_DEEPEST; m++)
                names[len++] = symbols->frames[naming.at + m];
        }
        status = tch_stacks_add(ret, names, len, c->stacks.list[i].count, err);
        if (status < 0)
            return (int)status;
    }
    ret->squares = c->stacks.squares; /* summed over samples, not over stacks */
    return 0;
}

int tch_collect_names(struct tch_collect *c, struct tch_symbols *s, struct tch_stacks *ret,
                      tacho_error *err)
{
    uint32_t *room = malloc(2 * TCH_STACK_DEEPEST * sizeof *room);
    int status = room ? 0 : tch_fail_memory(err);

    /* A JIT writes its map while it runs, so its places are named at the end. */
    for (size_t i = 0; i < c->places.count && status == 0; i++) {
        const struct tch_code_place *place = &c->places.list[i];
        const struct tch_code_object *object = c->objects.list[place->object];

        if (object->kind != TCH_OBJECT_JIT)
            continue;
        status = tch_symbols_again(s, (uint32_t)i, place, object, err);
        c->programs.list[object->program].places++;
        if (status == 0 && strncmp(tch_intern_text(s->names, s->frames[s->list[i].at]),
                                   TCH_NAME_ANONYMOUS, strlen(TCH_NAME_ANONYMOUS)) == 0)
            c->programs.list[object->program].unnamed++;
    }
    if (status == 0)
        status = name_stacks(s, c, room, room + TCH_STACK_DEEPEST, ret, err);
    free(room);
    return status;
}
