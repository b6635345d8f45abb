/* Hysteresis, with one counter per entry. */
#include "hysteresis.h"

#include <stdlib.h>
#include <string.h>

void hysteresis_init(struct hysteresis *h, uint64_t tau)
{
    *h = (struct hysteresis){.tau = tau};
}

void hysteresis_release(struct hysteresis *h)
{
    free(h->stable);
    free(h->asked);
    *h = (struct hysteresis){.tau = h->tau};
}

static int start_over(struct hysteresis *h, const uint8_t *mask, size_t count)
{
    free(h->stable);
    free(h->asked);
    h->stable = malloc(count + 1); /* + 1, so that an empty mask has memory, too */
    h->asked = calloc(count + 1, sizeof *h->asked);
    h->count = count;
    if (!h->stable || !h->asked)
        return -1;
    memcpy(h->stable, mask, count);
    return 0;
}

int hysteresis_apply(struct hysteresis *h, uint8_t *mask, size_t count)
{
    h->step++;
    if (!h->stable || h->count != count)
        return start_over(h, mask, count);
    for (size_t i = 0; i < count; i++) {
        uint32_t asked = mask[i] != h->stable[i] ? h->asked[i] + 1 : 0;

        if (asked > 0 && asked >= h->tau) {
            h->stable[i] = mask[i];
            asked = 0;
        }
        h->asked[i] = asked;
    }
    memcpy(mask, h->stable, count);
    return 0;
}
