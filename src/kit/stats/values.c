/* A list of numbers that grows. */
#include "values.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"

enum { VALUES_MAX = 1 << 24 };

int tch_values_add(struct tch_values *values, double value, tacho_error *err)
{
    if (values->n == VALUES_MAX)
        return tch_fail(err, TACHO_ENOMEM, 0, "no memory for more than %zu values", values->n);
    if (tch_array_reserve(&values->v, &values->room, values->n + 1) < 0)
        return tch_fail_memory(err);
    values->v[values->n++] = value;
    return 0;
}

void tch_values_release(struct tch_values *values)
{
    free(values->v);
    *values = (struct tch_values){0};
}
