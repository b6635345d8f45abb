/* Converts places, their names and their objects to origins. The origins of the places come first,
   in their order; those of the names of threads follow. */
#include "collect_origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

/* Sets the addresses of the first executable segment, widened to whole pages. */
static void set_segment(struct tch_origin_file *file, const struct tch_elf *elf)
{
    const uint64_t page = 4096;

    for (size_t i = 0; i < elf->segment_count; i++) {
        const Elf64_Phdr *p = elf->segments + i;

        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        file->start = p->p_vaddr & ~(page - 1);
        file->limit = (p->p_vaddr + p->p_memsz + page - 1) & ~(page - 1);
        file->offset = p->p_offset & ~(page - 1);
        return;
    }
}

/* Adds the files, and stores 1 + the number of each object's file in `numbers`. */
static int add_files(const struct tch_collect *c, struct tch_origins *ret, uint32_t *numbers)
{
    ret->files = calloc(c->objects.count + 1, sizeof *ret->files);
    if (!ret->files)
        return TACHO_ENOMEM;
    for (size_t i = 0; i < c->objects.count; i++) {
        const struct tch_code_object *o = c->objects.list[i];
        struct tch_origin_file *file = ret->files + ret->file_count;

        if (o->kind != TCH_OBJECT_FILE || !o->usable)
            continue;
        set_segment(file, &o->elf);
        (void)tch_elf_build_id(&o->elf, file->build_id, sizeof file->build_id);
        file->path = strdup(o->path);
        if (!file->path)
            return TACHO_ENOMEM;
        numbers[i] = (uint32_t)++ret->file_count;
    }
    return 0;
}

/* Adds the place and its functions, outermost first as in s. */
static int add_place(const struct tch_collect *c, const struct tch_symbols *s, size_t number,
                     const uint32_t *files, struct tch_origins *ret)
{
    const struct tch_code_place *place = c->places.list + number;
    struct tch_naming naming = s->list[number];
    bool code = place->object != TCH_OBJECT_NOWHERE;
    int status = tch_origins_add(ret, code ? place->addr : 0, files[place->object]);

    for (uint32_t i = 0; i < naming.count && status == 0; i++) {
        const struct tch_symbol_line *line = s->lines + naming.at + i;

        status = tch_origins_add_line(
            ret, &(struct tch_origin_line){s->frames[naming.at + i], line->source, line->line});
    }
    return status;
}

static int add_thread_name(const struct tch_collect *c, uint32_t number, struct tch_intern *names,
                           struct tch_origins *ret)
{
    uint32_t name = tch_intern_add(names, tch_intern_text(&c->comms, number),
                                   tch_intern_len(&c->comms, number));
    int status = name == TCH_INTERN_NONE ? TACHO_ENOMEM : tch_origins_add(ret, 0, 0);

    return status < 0 ? status : tch_origins_add_line(ret, &(struct tch_origin_line){name, 0, 0});
}

/* Adds the stacks. The first frame of each is a number among the names of threads. */
static int add_stacks(const struct tch_collect *c, struct tch_origins *ret, uint32_t *frames,
                      tacho_error *err)
{
    int64_t status = 0;

    for (uint32_t i = 0; i < c->stacks.count && status >= 0; i++) {
        size_t len = tch_stacks_frames(&c->stacks, i, frames);

        if (c->stacks.list[i].count == 0)
            continue;
        frames[0] += (uint32_t)c->places.count;
        status = tch_stacks_add(&ret->stacks, frames, len, c->stacks.list[i].count, err);
    }
    return status < 0 ? (int)status : 0;
}

int tch_collect_origins(const struct tch_collect *c, struct tch_symbols *s, struct tch_origins *ret,
                        tacho_error *err)
{
    uint32_t *files = calloc(c->objects.count + 1, sizeof *files);
    uint32_t *frames = malloc(TCH_STACK_DEEPEST * sizeof *frames);
    int status = files && frames ? add_files(c, ret, files) : TACHO_ENOMEM;

    for (size_t i = 0; i < c->places.count && status == 0; i++)
        status = add_place(c, s, i, files, ret);
    for (uint32_t i = 0; i < c->comms.count && status == 0; i++)
        status = add_thread_name(c, i, s->names, ret);
    if (status == 0)
        status = add_stacks(c, ret, frames, err);
    ret->sources = s->sources;
    s->sources = (struct tch_intern){0};
    free(files);
    free(frames);
    return status == TACHO_ENOMEM ? tch_fail_memory(err) : status;
}
