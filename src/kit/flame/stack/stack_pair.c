/*
 * Pairs programs of different names in a differential. The first frame of a stack names the
 * process, so two builds of one program, ./old and ./new, would have no stack in common.
 */
#include "stacks.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/fail.h"
#include "frame_kind.h"

/* The counts of one process name on both sides. */
struct process {
    double before;
    uint64_t count;
    uint32_t becomes; /* name number to draw; its own if it has no partner */
};

/* The processes of a differential, by their name numbers. */
struct processes {
    struct tch_stacks *stacks;
    bool leaf_first;
    struct process *list;
    uint32_t count; /* number of names before pairs were added */
    uint32_t old;   /* the main program of each side, if the names differ */
    uint32_t new;
};

static uint32_t process_at(const struct processes *p, const uint32_t *frames, size_t len)
{
    return frames[p->leaf_first ? len - 1 : 0];
}

/* Sums up the counts of each process. frames has room for one stack. */
static void count_processes(struct processes *p, uint32_t *frames)
{
    const struct tch_stacks *s = p->stacks;

    for (uint32_t i = 0; i < s->count; i++) {
        size_t len = tch_stacks_frames(s, i, frames);

        if (len == 0)
            continue;
        p->list[process_at(p, frames, len)].count += s->list[i].count;
        p->list[process_at(p, frames, len)].before += s->before[i];
    }
}

/* Finds the process with the most samples among those of one side only. Returns false unless such
   processes have more than half of the samples of both sides; otherwise the main program is the
   same. */
static bool find_main_programs(struct processes *p)
{
    double only_old = 0;
    uint64_t only_new = 0;

    p->old = p->new = p->count;
    for (uint32_t i = 0; i < p->count; i++) {
        const struct process *one = p->list + i;

        /* Names with PID/TID are skipped, because ids never match between two captures. */
        if ((one->before > 0) == (one->count > 0) ||
            tch_is_thread_name(tch_span_interned(&p->stacks->names, i)))
            continue;
        only_old += one->before;
        only_new += one->count;
        if (one->before > 0 && (p->old == p->count || one->before > p->list[p->old].before))
            p->old = i;
        if (one->count > 0 && (p->new == p->count || one->count > p->list[p->new].count))
            p->new = i;
    }
    return only_old > tch_stacks_total_before(p->stacks) / 2 &&
           only_new > tch_stacks_total(p->stacks) / 2;
}

/* Gives two processes one name, "old -> new". */
static int pair_processes(struct processes *p, uint32_t old, uint32_t new, tacho_error *err)
{
    struct tch_intern *names = &p->stacks->names;
    struct tch_buf b;
    uint32_t id;

    tch_buf_init(&b, SIZE_MAX / 2);
    tch_buf_add(&b, tch_intern_text(names, old), tch_intern_len(names, old));
    tch_buf_adds(&b, " -> ");
    tch_buf_add(&b, tch_intern_text(names, new), tch_intern_len(names, new));
    id = b.failed ? TCH_INTERN_NONE : tch_intern_add(names, b.data, b.len);
    tch_buf_release(&b);
    if (id == TCH_INTERN_NONE)
        return tch_fail_memory(err);
    p->list[old].becomes = p->list[new].becomes = id;
    return 0;
}

/* Pairs the threads whose names begin with the program's name: "old-io" with "new-io". */
static int pair_threads(struct processes *p, tacho_error *err)
{
    const struct tch_intern *names = &p->stacks->names;
    struct tch_span old = tch_span_interned(names, p->old);
    struct tch_buf partner;
    int status = 0;

    tch_buf_init(&partner, SIZE_MAX / 2);
    for (uint32_t i = 0; i < p->count && status == 0; i++) {
        struct tch_span name = tch_span_interned(names, i);
        uint32_t id;

        if (p->list[i].before == 0 || p->list[i].count > 0 || name.len <= old.len ||
            memcmp(name.p, old.p, old.len) != 0)
            continue;
        tch_buf_clear(&partner);
        tch_buf_add(&partner, tch_intern_text(names, p->new), tch_intern_len(names, p->new));
        tch_buf_add(&partner, name.p + old.len, name.len - old.len);
        if (partner.failed) {
            status = tch_fail_memory(err);
            break;
        }
        id = tch_intern_find(names, partner.data, partner.len);
        if (id < p->count && p->list[id].before == 0 && p->list[id].count > 0)
            status = pair_processes(p, i, id, err);
        old = tch_span_interned(names, p->old); /* adding a name may have moved the text */
    }
    tch_buf_release(&partner);
    return status;
}

/* Rebuilds the stacks with the names of the pairs. */
static int rename_processes(const struct processes *p, uint32_t *frames, tacho_error *err)
{
    struct tch_stacks *s = p->stacks;
    struct tch_stacks renamed = {.names = s->names,
                                 .cut = s->cut,
                                 .counted = s->counted,
                                 .counted_before = s->counted_before,
                                 .converted = s->converted,
                                 .leaf_first = s->leaf_first};
    int64_t status = 0;

    s->names = (struct tch_intern){0};
    for (uint32_t i = 0; i < s->count && status >= 0; i++) {
        size_t len = tch_stacks_frames(s, i, frames);

        if (len > 0)
            frames[p->leaf_first ? len - 1 : 0] = p->list[process_at(p, frames, len)].becomes;
        status = tch_stacks_add_both(&renamed, frames, len, s->before[i], s->list[i].count, err);
    }
    renamed.paired = p->list[p->old].becomes + 1;
    tch_stacks_release(s);
    *s = renamed;
    return status < 0 ? (int)status : 0;
}

int tch_stacks_pair_programs(struct tch_stacks *stacks, bool leaf_first, tacho_error *err)
{
    struct processes p = {stacks, leaf_first, NULL, stacks->names.count, 0, 0};
    uint32_t *frames = malloc(TCH_STACK_DEEPEST * sizeof *frames);
    int status = 0;

    p.list = calloc((size_t)p.count + 1, sizeof *p.list);
    if (!frames || !p.list) {
        status = tch_fail_memory(err);
        goto out;
    }
    for (uint32_t i = 0; i < p.count; i++)
        p.list[i].becomes = i;
    count_processes(&p, frames);
    if (!find_main_programs(&p))
        goto out;
    status = pair_processes(&p, p.old, p.new, err);
    if (status == 0)
        status = pair_threads(&p, err);
    if (status == 0)
        status = rename_processes(&p, frames, err);
out:
    free(frames);
    free(p.list);
    return status;
}
