/*
 * Spans of fibers: a track for each fiber.
 *
 *     TACHO_TRACE_OUT=fibers.json ./fibers
 *
 * TACHO_SPAN and tacho_span_begin() record on the track of the thread, where spans must nest. Two
 * fibers of one thread that switch inside their spans do not nest: the span that ends first would
 * end the other one, too. So each fiber has a track of its own, and its spans carry their times.
 */
#include <stdio.h>
#include <ucontext.h>

#include <tacho/trace.h>

enum { FIBERS = 2, STEPS = 3, STACK = 64 * 1024 };

struct fiber {
    ucontext_t context;
    char stack[STACK];
    uint32_t track;
    int steps;
};

static struct fiber fibers[FIBERS];
static ucontext_t scheduler;

static void yield(struct fiber *f)
{
    swapcontext(&f->context, &scheduler);
}

/* Records one span of the fiber, during which other fibers run. */
static void step(struct fiber *f)
{
    uint64_t start = tacho_trace_now_ns();

    tacho_track_counter(f->track, "steps left", start, STEPS - f->steps);
    yield(f);
    tacho_track_span(f->track, "step", "fiber", start, tacho_trace_now_ns(), TACHO_NO_FIELDS);
}

static void run(int number)
{
    struct fiber *f = &fibers[number];
    uint64_t start = tacho_trace_now_ns();

    for (f->steps = 0; f->steps < STEPS; f->steps++)
        step(f);
    tacho_track_span(f->track, "fiber", "fiber", start, tacho_trace_now_ns(), TACHO_NO_FIELDS);
}

static void make_fiber(int number)
{
    struct fiber *f = &fibers[number];
    char name[32];

    snprintf(name, sizeof name, "fiber %d", number);
    f->track = tacho_track(name);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = sizeof f->stack;
    f->context.uc_link = &scheduler;
    makecontext(&f->context, (void (*)(void))run, 1, number);
}

int main(void)
{
    for (int i = 0; i < FIBERS; i++)
        make_fiber(i);
    /* One more turn than there are steps: the last one ends the fiber. */
    for (int turn = 0; turn <= STEPS; turn++)
        for (int i = 0; i < FIBERS; i++)
            swapcontext(&scheduler, &fibers[i].context);
    printf("%d fibers, %d steps each\n", FIBERS, fibers[0].steps);
    return 0;
}
