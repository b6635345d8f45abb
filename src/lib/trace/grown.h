/*
 * Lists that grow, for the readers and summaries of traces.
 */
#ifndef TCH_GROWN_H
#define TCH_GROWN_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/** The list with room for `need` elements of `size` bytes, the new part zero, and *room updated; or
    NULL, and then the list stays as it was. */
static inline void *tch_trace_grown(void *list, size_t *room, size_t need, size_t size)
{
    size_t more = *room > 0 ? *room : 64;
    void *block;

    if (need <= *room)
        return list;
    while (more < need)
        more *= 2;
    block = realloc(list, more * size);
    if (!block)
        return NULL;
    memset((char *)block + *room * size, 0, (more - *room) * size);
    *room = more;
    return block;
}

#endif
