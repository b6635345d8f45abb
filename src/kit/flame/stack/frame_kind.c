/* Recognises marks and threads in the names of frames. */
#include "frame_kind.h"

#include <string.h>

char tch_frame_mark(struct tch_span name)
{
    if (name.len < 4 || memcmp(name.p + name.len - 4, "_[", 2) != 0 || name.p[name.len - 1] != ']')
        return 0;
    return memchr("kijw", name.p[name.len - 2], 4) ? name.p[name.len - 2] : 0;
}

struct tch_span tch_frame_unmarked(struct tch_span name)
{
    if (tch_frame_mark(name))
        name.len -= 4;
    return name;
}

size_t tch_thread_comm_len(struct tch_span name)
{
    size_t at = name.len;
    size_t slash;

    while (at > 0 && name.p[at - 1] >= '0' && name.p[at - 1] <= '9')
        at--;
    if (at == name.len || at < 3 || name.p[at - 1] != '/')
        return name.len;
    slash = --at;
    if (name.p[at - 1] == '?')
        at--;
    else
        while (at > 0 && name.p[at - 1] >= '0' && name.p[at - 1] <= '9')
            at--;
    return at < slash && at > 1 && name.p[at - 1] == '-' ? at - 1 : name.len;
}

bool tch_is_thread_name(struct tch_span name)
{
    return tch_thread_comm_len(name) < name.len;
}
