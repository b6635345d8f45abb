/* Numbers tracks of the same names. */
#include "trace_tracks.h"

#include <stdlib.h>

#include "base/fail.h"

struct names {
    uint32_t process, thread; /* texts; 0: none */
    uint64_t pid, tid;        /* shown instead of a text that is missing */
};

static struct names names_of(const struct tch_model *m, uint32_t track)
{
    const struct tch_trace_track *t = &m->tracks[track];
    const struct tch_trace_process *p = &m->processes[t->process];

    return (struct names){.process = p->name,
                          .thread = t->name,
                          .pid = p->name ? 0 : p->pid,
                          .tid = t->name ? 0 : t->tid};
}

/* Counts the tracks of each pair of names up to each track. counts has room for one per track. */
static int count_tracks(struct tch_model *m, struct tch_intern *keys, uint32_t *counts)
{
    for (uint32_t i = 0; i < tch_model_track_count(m); i++) {
        struct names names = names_of(m, i);
        uint32_t key = tch_intern_add(keys, (const char *)&names, sizeof names);

        if (key == TCH_INTERN_NONE)
            return TACHO_ENOMEM;
        m->tracks[i].nth = ++counts[key];
    }
    return 0;
}

int tch_trace_number_tracks(struct tch_model *m, tacho_error *err)
{
    uint32_t count = tch_model_track_count(m);
    uint32_t *counts = calloc((size_t)count + 1, sizeof *counts);
    struct tch_intern keys = {0};
    int status = counts ? count_tracks(m, &keys, counts) : TACHO_ENOMEM;

    for (uint32_t i = 0; i < count && status == 0; i++) {
        struct names names = names_of(m, i);

        if (counts[tch_intern_add(&keys, (const char *)&names, sizeof names)] == 1)
            m->tracks[i].nth = 0;
    }
    tch_intern_release(&keys);
    free(counts);
    return status < 0 ? tch_fail_memory(err) : 0;
}
