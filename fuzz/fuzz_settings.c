/* Reads any bytes as tacho.yaml, which gives consistent settings or an error. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/gate/bench_settings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_settings s;

    if (tch_settings_parse(&s, (const char *)data, size, NULL) == 0)
        for (size_t i = 0; i < s.count; i++) {
            const struct tch_bench *b = &s.benches[i];

            if (!b->name[0] || !b->argv[0] || !b->line || b->budget_count > TCH_BUDGETS_MOST ||
                b->plan.max_runs < b->plan.runs || tch_settings_bench(&s, b->name) != b)
                abort();
            for (size_t k = 0; k < b->budget_count; k++)
                if (!(b->budgets[k].budget.tolerance >= 0) && !(b->budgets[k].budget.max > 0))
                    abort();
        }
    tch_settings_release(&s);
    return 0;
}
