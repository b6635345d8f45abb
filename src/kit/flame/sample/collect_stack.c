/*
 * Turns one sample into a stack of places. A place is one address in one object.
 *
 * A record has two parts, which are read in this order (perf_event_open(2)):
 *
 *     callchain     addresses that the kernel followed: its own frames and, by frame pointers,
 *                   those of the program (add_callchain)
 *     user stack    registers and a copy of the top of the stack: with --call-graph dwarf, and
 *                   from the samplers without perf events (add_user_stack)
 *
 * The user stack is unwound frame by frame in follow_stack(), until a step returns something else
 * than TCH_UNWOUND_STEP:
 *
 *     the place has a row of .eh_frame or .debug_frame    tch_unwind_step()
 *     the place is the entry code of a program            TCH_UNWOUND_END: the root
 *     a trampoline of Python                              the return address is one word up
 *     any other code without a row, such as a JIT's       tch_unwind_step_fp()
 *
 * Unless it ends with TCH_UNWOUND_END, the stack gets the frame TCH_PLACE_CUT at its root end and
 * counts as truncated. The number of frames is limited to FRAMES_MAX. Frames are collected leaf
 * first and reversed at the end.
 */

#include "collect_stack.h"

#include <linux/perf_event.h>

#include "base/fail.h"
#include "collect_proc.h"
#include "kit/symbol/unwind/unwind.h"
#include "sample_ring.h"

enum {
    CALLCHAIN_AT = 40,                  /* after the instruction address, thread, time and period */
    FRAMES_MAX = TCH_STACK_DEEPEST - 3, /* leaves room for the comm, and for two frames of
                                           code_place.h that are not places */
    /* Samples between two reads of /proc/PID/maps, each of which takes about 50 us. */
    LOOK_AGAIN = 50,
};

/* A cursor over the record, and what was found in it so far. */
struct sample {
    const uint8_t *at;
    const uint8_t *end;
    struct tch_flame_thread *thread;
    bool user; /* the stack contains code of the program */
    bool jit;  /* the stack contains code that was compiled at run time */
};

static uint64_t next_word(struct sample *s)
{
    uint64_t value = 0;

    if (s->end - s->at < (ptrdiff_t)sizeof value) {
        s->at = s->end;
        return 0;
    }
    memcpy(&value, s->at, sizeof value);
    s->at += sizeof value;
    return value;
}

static int push_place(struct tch_collect *c, uint32_t object, uint64_t addr, tacho_error *err)
{
    uint32_t place = tch_code_places_add(&c->places, object, addr);

    if (place == TCH_INTERN_NONE)
        return tch_fail_memory(err);
    if (c->frame_count < FRAMES_MAX)
        c->frames[c->frame_count++] = place;
    return 0;
}

/* Finds the mapping of an address; *ret is NULL if there is none. Where the kernel does not report
   new mappings, reads /proc/PID/maps again. */
static int find_map(struct tch_collect *c, struct tch_flame_process *process, uint64_t ip,
                    const struct tch_map **ret, tacho_error *err)
{
    int status = 0;

    *ret = tch_maps_find(process, ip);
    if (*ret || !c->options.by_hand ||
        (process->looked > 0 && c->samples - process->looked < LOOK_AGAIN))
        return 0;
    process->looked = c->samples;
    status = tch_collect_proc_maps(c, process, err);
    *ret = tch_maps_find(process, ip);
    return status;
}

/* Finds the object and the linked address of an instruction of the process. */
static int locate(struct tch_collect *c, struct tch_flame_process *process, uint64_t ip,
                  uint32_t *object, uint64_t *addr, tacho_error *err)
{
    const struct tch_map *map;
    struct tch_code_object *o;
    int status = find_map(c, process, ip, &map, err);

    *object = TCH_OBJECT_NOWHERE;
    *addr = ip;
    if (!map)
        return status;
    o = c->objects.list[map->object];
    if (!tch_code_object_load(o))
        return tch_fail_memory(err);
    *object = map->object;
    if (o->kind != TCH_OBJECT_JIT)
        *addr = tch_code_object_address(o, ip - map->start + map->offset);
    return 0;
}

static int push_user(struct tch_collect *c, struct sample *s, uint32_t object, uint64_t addr,
                     tacho_error *err)
{
    s->user = true;
    s->jit |= c->objects.list[object]->kind == TCH_OBJECT_JIT;
    return push_place(c, object, addr, err);
}

static int push_address(struct tch_collect *c, struct sample *s, uint64_t ip, tacho_error *err)
{
    uint32_t object;
    uint64_t addr;
    int status = locate(c, s->thread->process, ip, &object, &addr, err);

    return status < 0 ? status : push_user(c, s, object, addr, err);
}

/* Adds the chain that the kernel followed: kernel frames, and user frames by frame pointers. */
static int add_callchain(struct tch_collect *c, struct sample *s, tacho_error *err)
{
    uint64_t count = next_word(s);
    uint64_t context = PERF_CONTEXT_USER;
    bool first = true;
    int status = 0;

    for (uint64_t i = 0; i < count && s->at < s->end && status == 0; i++) {
        uint64_t ip = next_word(s);

        if (ip >= (uint64_t)PERF_CONTEXT_MAX) {
            context = ip;
            first = true;
            continue;
        }
        if (context == (uint64_t)PERF_CONTEXT_KERNEL)
            status = push_place(c, TCH_OBJECT_THE_KERNEL, ip - !first, err);
        else if (context == (uint64_t)PERF_CONTEXT_USER && ip != 0)
            status = push_address(c, s, ip - !first, err);
        first = false;
    }
    return status;
}

/* Reads the registers of the record and converts the kernel's order to DWARF's. */
static void read_registers(struct sample *s, struct tch_regs *regs)
{
    /* AX BX CX DX SI DI BP SP IP, R8 to R15 */
    static const uint8_t order[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15};

    for (size_t i = 0; i < sizeof order; i++)
        regs->r[order[i]] = next_word(s);
    regs->known = (1u << TCH_REGS) - 1;
}

/* Unwinds one frame of code without a row. The trampolines of "python3 -X perf" have no frame
   pointer. They reserve one word and call, so the return address is above that word. */
static enum tch_unwound step_without_rules(struct tch_collect *c, const struct sample *s,
                                           uint32_t object, const struct tch_stack_copy *stack,
                                           struct tch_regs *regs)
{
    const struct tch_flame_process *process = s->thread->process;
    uint64_t at = regs->r[TCH_REG_SP] - stack->start + sizeof(uint64_t);
    uint64_t ra;

    if (c->objects.list[object]->kind == TCH_OBJECT_JIT &&
        c->programs.list[process->program].runtime == TCH_RUNTIME_PYTHON &&
        regs->r[TCH_REG_BP] != regs->r[TCH_REG_SP] && at < stack->len &&
        stack->len - at >= sizeof ra) {
        memcpy(&ra, stack->data + at, sizeof ra);
        if (tch_maps_find(process, ra - 1)) {
            regs->r[TCH_REG_RA] = ra;
            regs->r[TCH_REG_SP] += 2 * sizeof ra;
            return TCH_UNWOUND_STEP;
        }
    }
    return tch_unwind_step_fp(stack, regs);
}

static uint64_t word_of_stack(const struct tch_stack_copy *stack, uint64_t at)
{
    uint64_t word = 0;

    if (at <= stack->len && sizeof word <= stack->len - at)
        memcpy(&word, stack->data + at, sizeof word);
    return word;
}

/* Returns whether the text that a word points to follows that at *last, and moves *last there. The
   kernel stores the arguments and the environment of a program like that. */
static bool follows(const struct tch_stack_copy *stack, uint64_t at, uint64_t *last)
{
    enum { FAR = 1 << 20 };
    uint64_t text = word_of_stack(stack, at);
    bool ok = text > *last && text - *last < FAR;

    *last = text;
    return ok;
}

/* Returns whether the block that starts a program is at this offset: the number of arguments,
   pointers to them, a NULL, and pointers to the environment. */
static bool is_argument_block(const struct tch_stack_copy *stack, uint64_t at)
{
    enum { MOST = 4096 };
    uint64_t count = word_of_stack(stack, at);
    uint64_t last = stack->start + at;

    if (count == 0 || count > MOST || at + 8 * (count + 4) > stack->len)
        return false;
    for (uint64_t i = 1; i <= count; i++)
        if (!follows(stack, at + 8 * i, &last))
            return false;
    at += 8 * (count + 1);
    return word_of_stack(stack, at) == 0 && follows(stack, at + 8, &last) &&
           (word_of_stack(stack, at + 16) == 0 || follows(stack, at + 16, &last));
}

/* Returns whether a frame without a row is the first one of its thread. Code marks that by a frame
   pointer of 0 (System V ABI for AMD64, 3.4.1), as Go does; code of a JIT may use the register for
   other numbers. The code of musl that starts a program uses it, too, but runs just below the
   arguments of the program. */
static bool is_root(const struct sample *s, const struct tch_code_object *object,
                    const struct tch_stack_copy *stack, const struct tch_regs *regs)
{
    enum { NEAR = 512 };
    uint64_t at = regs->r[TCH_REG_SP] - stack->start;

    if (object->kind != TCH_OBJECT_FILE || !object->usable)
        return false;
    if ((regs->known & 1u << TCH_REG_BP) && regs->r[TCH_REG_BP] == 0)
        return true;
    if (s->thread->tid != s->thread->process->pid || at > stack->len)
        return false;
    for (uint64_t end = at + NEAR; at < end && at < stack->len; at += 8)
        if (is_argument_block(stack, at))
            return true;
    return false;
}

/* Unwinds one frame by the row of its place, or without a row if there is none. */
static enum tch_unwound step_up(struct tch_collect *c, const struct sample *s, uint32_t place,
                                uint32_t object, const struct tch_stack_copy *stack,
                                struct tch_regs *regs, bool *signal)
{
    struct tch_code_object *o = c->objects.list[object];
    struct tch_cfi_row row;

    *signal = false;
    if (tch_code_places_row(&c->places, place, o, &row) <= 0)
        return tch_code_object_is_entry(o, c->places.list[place].addr) || is_root(s, o, stack, regs)
                   ? TCH_UNWOUND_END
                   : step_without_rules(c, s, object, stack, regs);
    *signal = row.signal;
    return tch_unwind_step(&o->cfi, &row, stack, regs);
}

static int follow_stack(struct tch_collect *c, struct sample *s, struct tch_regs *regs,
                        const struct tch_stack_copy *stack, enum tch_unwound *how, tacho_error *err)
{
    /* The address is that of the interrupted instruction, not a return address. */
    bool exact = true;
    int status = 0;

    *how = TCH_UNWOUND_STEP;
    while (status == 0 && *how == TCH_UNWOUND_STEP && c->frame_count < FRAMES_MAX) {
        uint32_t object;
        uint64_t addr;

        status = locate(c, s->thread->process, regs->r[TCH_REG_RA] - !exact, &object, &addr, err);
        if (status == 0 && !exact && object == TCH_OBJECT_NOWHERE) {
            *how = TCH_UNWOUND_LOST; /* the return address is not in any mapping */
            break;
        }
        if (status == 0)
            status = push_user(c, s, object, addr, err);
        if (status == 0)
            *how = step_up(c, s, c->frames[c->frame_count - 1], object, stack, regs, &exact);
    }
    return status;
}

static int add_user_stack(struct tch_collect *c, struct sample *s, tacho_error *err)
{
    uint64_t abi = next_word(s);
    struct tch_regs regs;
    struct tch_stack_copy stack;
    enum tch_unwound how = TCH_UNWOUND_LOST;
    uint64_t size;
    int status = 0;

    if (abi == PERF_SAMPLE_REGS_ABI_NONE)
        return 0; /* a kernel thread */
    read_registers(s, &regs);
    size = next_word(s);
    stack = (struct tch_stack_copy){.start = regs.r[TCH_REG_SP], .data = s->at};
    if (c->options.by_hand)
        stack.start -= TCH_RED_ZONE;
    if (size > 0 && size < (uint64_t)(s->end - s->at) && (uint64_t)(s->end - s->at) - size >= 8) {
        s->at += size;
        stack.len = (size_t)next_word(s); /* the bytes that were actually copied */
        if (stack.len > size)
            stack.len = 0;
    }
    /* During an exec the registers are those of the program before it. */
    if (c->frame_count > 0 && !tch_maps_find(s->thread->process, regs.r[TCH_REG_RA]))
        return 0;
    if (abi == PERF_SAMPLE_REGS_ABI_64)
        status = follow_stack(c, s, &regs, &stack, &how, err);
    else
        status = push_address(c, s, regs.r[TCH_REG_RA], err);
    if (status == 0 && how != TCH_UNWOUND_END) {
        c->truncated++;
        c->programs.list[s->thread->process->program].truncated++;
        c->programs.list[s->thread->process->program].cut += how == TCH_UNWOUND_CUT;
        c->frames[c->frame_count++] = TCH_PLACE_CUT;
    }
    return status;
}

/* Returns the number of the first frame, which is the name of the thread. */
static uint32_t comm_of(struct tch_collect *c, const struct tch_flame_thread *thread)
{
    const char *comm = thread->comm[0] ? thread->comm : "[unknown]";
    char text[64];
    int len;

    if (c->options.per_thread)
        len = snprintf(text, sizeof text, "%s-%u/%u", comm, (unsigned)thread->process->pid,
                       (unsigned)thread->tid);
    else
        len = snprintf(text, sizeof text, "%s", comm);
    for (int i = 0; i < len; i++)
        if (text[i] == ';' || text[i] == ' ' || text[i] == '\n')
            text[i] = text[i] == ';' ? ':' : '_';
    return tch_intern_add(&c->comms, text, (size_t)len);
}

int64_t tch_collect_stack(struct tch_collect *c, const struct perf_event_header *record,
                          uint32_t pid, uint32_t tid, uint64_t weight, tacho_error *err)
{
    struct sample s = {.at = (const uint8_t *)record + CALLCHAIN_AT,
                       .end = (const uint8_t *)record + record->size,
                       .thread = tch_maps_thread(&c->maps, pid, tid)};
    uint32_t comm;
    int status;

    if (!s.thread)
        return tch_fail_memory(err);
    if (s.at > s.end)
        s.at = s.end;
    c->frame_count = 0;
    status = add_callchain(c, &s, err);
    if (status == 0 && c->options.user_stack)
        status = add_user_stack(c, &s, err);
    if (status < 0)
        return status;
    c->programs.list[s.thread->process->program].samples += s.user;
    c->programs.list[s.thread->process->program].jit += s.jit;
    comm = comm_of(c, s.thread);
    if (comm == TCH_INTERN_NONE)
        return tch_fail_memory(err);
    c->frames[c->frame_count++] = comm;
    tch_frames_reverse(c->frames, c->frame_count);
    return tch_stacks_add(&c->stacks, c->frames, c->frame_count, weight, err);
}
