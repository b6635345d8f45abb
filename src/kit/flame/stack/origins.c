/* Stores the origins of frames. */
#include "origins.h"

#include <stdlib.h>

#include "base/array.h"

void tch_origins_release(struct tch_origins *origins)
{
    for (size_t i = 0; i < origins->file_count; i++)
        free(origins->files[i].path);
    free(origins->files);
    free(origins->list);
    free(origins->lines);
    tch_stacks_release(&origins->stacks);
    tch_intern_release(&origins->sources);
    *origins = (struct tch_origins){.count = 0};
}

int tch_origins_add(struct tch_origins *origins, uint64_t address, uint32_t file)
{
    if (tch_array_reserve(&origins->list, &origins->cap, origins->count + 1) < 0)
        return TACHO_ENOMEM;
    origins->list[origins->count++] =
        (struct tch_origin){.address = address, .file = file, .at = (uint32_t)origins->line_count};
    return 0;
}

int tch_origins_add_line(struct tch_origins *origins, const struct tch_origin_line *line)
{
    if (tch_array_reserve(&origins->lines, &origins->line_cap, origins->line_count + 1) < 0)
        return TACHO_ENOMEM;
    origins->lines[origins->line_count++] = *line;
    origins->list[origins->count - 1].count++;
    return 0;
}
