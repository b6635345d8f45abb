/* Reads and writes public structs that grow; no other file does. */
#include "sized.h"

#include <string.h>

#include "fail.h"

/* Larger than any struct: a greater size means that the struct was not initialised. */
enum { SIZE_MOST = 4096 };

static size_t size_of(const void *given)
{
    size_t size;

    memcpy(&size, given, sizeof size);
    return size;
}

int tch_sized_check(const void *given, size_t own_size, const char *init, tacho_error *err)
{
    size_t size = size_of(given);

    if (size <= sizeof size || size > SIZE_MOST)
        return tch_fail(err, TACHO_EINVAL, 0, "a struct is not initialised; start with %s", init);
    for (size_t i = own_size; i < size; i++)
        if (((const char *)given)[i] != 0)
            return tch_fail(err, TACHO_EINVAL, 0,
                            "a struct uses a member that this version of the library does not "
                            "have (%s, %zu bytes, of which it knows %zu); update the library",
                            init, size, own_size);
    return 0;
}

int tch_sized_read(void *own, size_t own_size, const void *given, const char *init,
                   tacho_error *err)
{
    size_t size = size_of(given);

    if (tch_sized_check(given, own_size, init, err) < 0)
        return TACHO_EINVAL;
    memset(own, 0, own_size);
    memcpy(own, given, size < own_size ? size : own_size);
    memcpy(own, &own_size, sizeof own_size);
    return 0;
}

void tch_sized_write(void *given, const void *own, size_t own_size)
{
    size_t size = size_of(given);

    if (size > own_size)
        size = own_size;
    memcpy((char *)given + sizeof size, (const char *)own + sizeof size, size - sizeof size);
}
