/* Merges several traces into one. */
#include "trace_merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/hash.h"
#include "trace_load.h"
#include "trace_readers.h"

enum {
    PID_STEP = 1000000, /* distance to the next pid that is tried if a pid is taken */
    LABELS_LIMIT = 128 << 20,
};

struct merge {
    struct tch_trace_load all;
    struct tch_merged *ret;
    const struct tch_merge_options *options;
    struct tch_trace_clock clock; /* clock of the first input */
    int64_t align;                /* time of the first input's alignment event */
    tacho_error *err;

    /* The input being read. */
    struct tch_model model;
    struct tch_merged_input *input;
    uint32_t *texts, *tracks,
        *processes; /* by number in the input: 1 + number in the result; 0: unknown yet */
    size_t text_room, track_room, process_room;
    bool placed;
    uint64_t before, last; /* added to positions in this input; the largest position so far */

    /* Data about all inputs. */
    uint32_t *inputs; /* by process: the input that it comes from */
    size_t input_room;
    struct tch_intern begun; /* struct bond of each flow and async span that begins */
    uint32_t *first_of;      /* by the number in begun: the first input in which it begins */
    size_t first_room;
    /* A struct bond, with the input, for each of those that begin again in a later input. */
    struct tch_intern others;
};

const char *tch_merge_way_name(enum tch_merge_way way)
{
    static const char *const names[] = {"first", "time stamp counter", "boot", "wall clock",
                                        "event", "same clock"};

    return names[way];
}

/* Aligning times. */

struct find_event {
    const struct tch_model *m;
    const char *name;
    bool found;
    int64_t ts;
};

static int note_earliest(void *ctx, const struct tch_ev *ev)
{
    struct find_event *f = ctx;

    if (strcmp(tch_intern_text(&f->m->texts, ev->name), f->name) == 0 &&
        (!f->found || ev->ts < f->ts)) {
        f->found = true;
        f->ts = ev->ts;
    }
    return 0;
}

/* Finds the time of the alignment event's first occurrence in this input. */
static int find_align(struct merge *g, const char *path, int64_t *ret)
{
    static const struct tch_trace_read_options plain = {.args = false};
    struct tch_model m;
    struct find_event f = {.m = &m, .name = g->options->align};
    int status;

    tch_model_init(&m);
    status = tch_model_read(&m, path, &plain, note_earliest, &f, g->err);
    tch_model_release(&m);
    if (status == 0 && !f.found)
        status = tch_fail(g->err, TACHO_EINVAL, 0, "'%.100s' has no event '%.60s' to align by",
                          path, g->options->align);
    *ret = f.ts;
    return status;
}

/* Aligns two recordings of one boot, which count the same ticks. A line through the earliest and
   the latest clock pair of both places them, so errors of the pairs between do not matter. */
static bool place_by_ticks(const struct tch_trace_clock *a, const struct tch_trace_clock *b,
                           struct tch_merged_input *input)
{
    struct tch_clock_pair first = a->first.ticks <= b->first.ticks ? a->first : b->first;
    struct tch_clock_pair last = a->last.ticks >= b->last.ticks ? a->last : b->last;
    struct tch_clock line;

    if (!a->tsc || !b->tsc || last.ticks <= first.ticks || last.ns <= first.ns)
        return false;
    tch_clock_set(&line, first, last);
    input->way = TCH_MERGE_TICKS;
    input->offset =
        (int64_t)(tch_clock_ns(&line, b->first.ticks) - tch_clock_ns(&line, a->first.ticks));
    input->uncertainty = first.error + last.error;
    return true;
}

static void place_by_wall(const struct tch_trace_clock *a, const struct tch_trace_clock *b,
                          struct tch_merged_input *input)
{
    input->way = TCH_MERGE_WALL;
    input->offset = (int64_t)(b->wall_ns - a->wall_ns);
    if (a->wall_error == TCH_WALL_UNSYNCED || b->wall_error == TCH_WALL_UNSYNCED) {
        input->wall = TCH_WALL_WRONG;
    } else if (a->wall_error == 0 || b->wall_error == 0) {
        input->wall = TCH_WALL_MUTE;
    } else {
        input->wall = TCH_WALL_KNOWN;
        input->uncertainty += a->wall_error + b->wall_error;
    }
}

/* Aligns an input by the clocks of the recordings. */
static int place_by_clock(struct merge *g)
{
    const struct tch_trace_clock *own = &g->model.clock, *first = &g->clock;
    struct tch_merged_input *input = g->input;

    if (!own->known || !first->known) {
        if (!g->options->same_clock)
            return tch_fail(g->err, TACHO_EINVAL, 0,
                            "'%.80s' does not name its clock; align by an event that all traces "
                            "have (--align), or use --same-clock",
                            own->known ? g->ret->inputs[0].path : input->path);
        input->way = TCH_MERGE_SAME;
        return 0;
    }
    input->uncertainty = own->first.error + first->first.error;
    if (own->boot_id[0] && strcmp(own->boot_id, first->boot_id) == 0) {
        if (!place_by_ticks(first, own, input)) {
            input->way = TCH_MERGE_BOOT;
            input->offset = (int64_t)(own->first.ns - first->first.ns);
        }
    } else {
        place_by_wall(first, own, input);
    }
    if (input->offset > TCH_TIME_MAX || input->offset < -TCH_TIME_MAX)
        return tch_fail(g->err, TACHO_EPARSE, 0, "'%.150s' has an invalid timestamp", input->path);
    return 0;
}

/* Aligns an input, once, before its first event. By then the reader knows the clock. */
static int place_input(struct merge *g)
{
    int64_t ts;
    int status;

    g->placed = true;
    if (g->input == g->ret->inputs)
        g->clock = g->model.clock;
    if (g->options->align) {
        status = find_align(g, g->input->path, &ts);
        if (status < 0)
            return status;
        if (g->input == g->ret->inputs)
            g->align = ts;
        g->input->way = g->input == g->ret->inputs ? TCH_MERGE_FIRST : TCH_MERGE_EVENT;
        g->input->offset = g->align - ts;
        return 0;
    }
    if (g->input == g->ret->inputs)
        return 0;
    return place_by_clock(g);
}

/* Ids of flows and async spans. An id that begins in only one input is kept, so that an arrow may
   lead from one process to another. If an id begins in several inputs, these are different things:
   all except the first get a new id. */

struct bond {
    uint64_t id;
    uint32_t kind, name, category, input; /* input: 1 + its number; 0: any */
};

/* Returns whether the event has an id that events of other inputs may share. */
static bool has_shared_id(const struct tch_ev *ev)
{
    return ev->kind == TCH_EV_FLOW || (ev->kind == TCH_EV_ASYNC && !(ev->flags & TCH_EV_LOCAL));
}

static struct bond bond_of(const struct tch_ev *ev, uint32_t input)
{
    return (struct bond){.id = ev->id,
                         .kind = ev->kind,
                         .name = ev->kind == TCH_EV_FLOW ? ev->name : 0,
                         .category = ev->category,
                         .input = input};
}

/* Records that an id begins. ev has the numbers of the result. */
static int note_begin(struct merge *g, const struct tch_ev *ev)
{
    uint32_t input = (uint32_t)(g->input - g->ret->inputs);
    struct bond any = bond_of(ev, 0), own = bond_of(ev, input + 1);
    uint32_t count = g->begun.count, number;

    number = tch_intern_add(&g->begun, (const char *)&any, sizeof any);
    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&g->first_of, &g->first_room, (size_t)number + 1) < 0)
        return tch_fail_memory(g->err);
    if (number == count)
        g->first_of[number] = input;
    if (g->first_of[number] == input)
        return 0;
    number = tch_intern_add(&g->others, (const char *)&own, sizeof own);
    return number == TCH_INTERN_NONE ? tch_fail_memory(g->err) : 0;
}

static void part_id(struct merge *g, struct tch_ev *ev)
{
    uint32_t input = g->inputs[g->all.model.tracks[ev->track].process];
    struct bond own = bond_of(ev, input + 1);

    if (tch_intern_find(&g->others, (const char *)&own, sizeof own) == TCH_INTERN_NONE)
        return;
    ev->id = tch_hash(&own, sizeof own);
    g->ret->inputs[input].parted++;
}

/* Mapping numbers of one input to those of the result. */

static uint32_t *slot(uint32_t **list, size_t *room, uint32_t number)
{
    return tch_array_reserve_zero(list, room, (size_t)number + 1) < 0 ? NULL : &(*list)[number];
}

static uint32_t map_text(struct merge *g, uint32_t text)
{
    uint32_t *to = slot(&g->texts, &g->text_room, text);

    if (!to)
        return TCH_INTERN_NONE;
    if (*to == 0) {
        uint32_t number =
            tch_intern_add(&g->all.model.texts, tch_intern_text(&g->model.texts, text),
                           tch_intern_len(&g->model.texts, text));

        if (number == TCH_INTERN_NONE)
            return TCH_INTERN_NONE;
        *to = number + 1;
    }
    return *to - 1;
}

/* Maps a process. If an earlier input has the same pid, this is another process and gets a new
   pid. */
static uint32_t map_process(struct merge *g, uint32_t process)
{
    uint32_t *to = slot(&g->processes, &g->process_room, process), number;
    uint64_t pid = g->model.processes[process].pid, own = pid;

    if (!to)
        return TCH_INTERN_NONE;
    if (*to > 0)
        return *to - 1;
    for (;;) {
        number = tch_intern_find(&g->all.model.process_keys, (const char *)&pid, sizeof pid);
        if (number == TCH_INTERN_NONE)
            break;
        pid += PID_STEP;
    }
    g->input->renumbered += pid != own;
    number = tch_model_process(&g->all.model, pid);
    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&g->inputs, &g->input_room, (size_t)number + 1) < 0)
        return TCH_INTERN_NONE;
    g->inputs[number] = (uint32_t)(g->input - g->ret->inputs);
    *to = number + 1;
    return number;
}

static uint32_t map_track(struct merge *g, uint32_t track)
{
    uint32_t *to = slot(&g->tracks, &g->track_room, track), process, number;

    if (!to)
        return TCH_INTERN_NONE;
    if (*to > 0)
        return *to - 1;
    process = map_process(g, g->model.tracks[track].process);
    if (process == TCH_INTERN_NONE)
        return TCH_INTERN_NONE;
    number = tch_model_track(&g->all.model, g->all.model.processes[process].pid,
                             g->model.tracks[track].tid);
    if (number != TCH_INTERN_NONE)
        *to = number + 1;
    return number;
}

static int merge_event(void *ctx, const struct tch_ev *given)
{
    struct merge *g = ctx;
    struct tch_ev ev = *given;
    int status = g->placed ? 0 : place_input(g);

    if (status < 0)
        return status;
    ev.name = map_text(g, ev.name);
    ev.category = map_text(g, ev.category);
    ev.track = map_track(g, ev.track);
    if (ev.name == TCH_INTERN_NONE || ev.category == TCH_INTERN_NONE || ev.track == TCH_INTERN_NONE)
        return tch_fail_memory(g->err);
    ev.ts += g->input->offset;
    /* Positions stay comparable within an input, where begins and ends are matched by them. */
    if (tch_trace_is_counted(g->model.kind))
        ev.offset = g->model.events;
    ev.offset += g->before;
    if (ev.kind == TCH_EV_SPAN && ev.closed != 0)
        ev.closed += g->before;
    g->last = ev.offset > g->last ? ev.offset : g->last;
    g->ret->events++;
    g->input->events++;
    if (has_shared_id(&ev) && (ev.phase == 's' || ev.phase == 'b'))
        status = note_begin(g, &ev);
    return status < 0 ? status : tch_trace_load_add(&g->all, &ev);
}

/* Joins the process's own labels and the name of the file that it came from. */
static uint32_t add_label(struct merge *g, uint32_t labels, const char *file)
{
    struct tch_buf text;
    uint32_t number;

    tch_buf_init(&text, LABELS_LIMIT);
    tch_buf_add(&text, tch_intern_text(&g->model.texts, labels),
                tch_intern_len(&g->model.texts, labels));
    tch_buf_addf(&text, "%s%s", labels ? ", " : "", file);
    number =
        text.failed ? TCH_INTERN_NONE : tch_intern_add(&g->all.model.texts, text.data, text.len);
    tch_buf_release(&text);
    return number;
}

/* Copies the names of processes and threads after the input was read. */
static int copy_names(struct merge *g)
{
    struct tch_model *all = &g->all.model;

    for (uint32_t i = 0; i < tch_model_track_count(&g->model); i++) {
        uint32_t to = map_track(g, i), name = map_text(g, g->model.tracks[i].name);

        if (to == TCH_INTERN_NONE || name == TCH_INTERN_NONE)
            return tch_fail_memory(g->err);
        all->tracks[to].name = name;
        all->tracks[to].sort = g->model.tracks[i].sort;
        all->tracks[to].sorted = g->model.tracks[i].sorted;
        all->tracks[to].outer_first = g->model.tracks[i].outer_first;
        all->tracks[to].made_up = g->model.tracks[i].made_up;
    }
    for (uint32_t i = 0; i < tch_model_process_count(&g->model); i++) {
        uint32_t to = map_process(g, i), name = map_text(g, g->model.processes[i].name);
        const char *file = tch_base_name(g->input->path);

        if (to == TCH_INTERN_NONE || name == TCH_INTERN_NONE)
            return tch_fail_memory(g->err);
        all->processes[to].name = name;
        all->processes[to].sort = g->model.processes[i].sort;
        all->processes[to].sorted = g->model.processes[i].sorted;
        all->processes[to].labels = add_label(g, g->model.processes[i].labels, file);
        if (all->processes[to].labels == TCH_INTERN_NONE)
            return tch_fail_memory(g->err);
    }
    return 0;
}

static int read_input(struct merge *g)
{
    static const struct tch_trace_read_options with_args = {.args = true};
    int status;

    tch_model_init(&g->model);
    g->placed = false;
    status = tch_model_read(&g->model, g->input->path, &with_args, merge_event, g, g->err);
    if (status < 0)
        status = tch_name_trace(g->err, status, g->input->path);
    if (status == 0 && !g->placed)
        status = place_input(g);
    if (status == 0)
        status = copy_names(g);
    g->input->cut = g->model.cut;
    tch_model_release(&g->model);
    free(g->texts);
    free(g->tracks);
    free(g->processes);
    g->texts = g->tracks = g->processes = NULL;
    g->text_room = g->track_room = g->process_room = 0;
    return status;
}

static int write_out(struct merge *g, const char *out, struct tch_write_options writing)
{
    struct tch_trace_writer w;
    struct tch_ev ev;
    int more = 0, status;

    if (g->all.first < 0)
        writing.shift = -g->all.first;
    status = tch_trace_writer_open(&w, out, &g->all.model, &writing, g->err);
    if (status < 0)
        return status;
    while (status == 0 && (more = tch_trace_load_next(&g->all, &ev, g->err)) > 0) {
        if (has_shared_id(&ev))
            part_id(g, &ev);
        status = tch_trace_writer_add(&w, &ev);
    }
    if (status == 0 && more == 0)
        status = tch_trace_writer_close(&w);
    else
        tch_trace_writer_abort(&w);
    g->ret->left_out = w.left_out;
    g->ret->moved = w.moved;
    return status < 0 ? status : more;
}

int tch_merge(struct tch_merged *ret, char *const *paths, size_t count, const char *out,
              const struct tch_merge_options *options, const struct tch_write_options *writing,
              tacho_error *err)
{
    struct merge g = {.ret = ret, .options = options, .err = err};
    int status = 0;

    *ret = (struct tch_merged){.inputs = calloc(count, sizeof *ret->inputs), .count = count};
    if (!ret->inputs)
        return tch_fail_memory(err);
    if (!tch_write_format_of(out))
        return tch_fail(err, TACHO_EINVAL, 0, TCH_WRITE_ENDINGS);
    tch_trace_load_begin(&g.all, tch_by_track_and_time, err);
    if (tch_intern_add(&g.all.model.texts, "", 0) == TCH_INTERN_NONE)
        status = tch_fail_memory(err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        g.input = &ret->inputs[i];
        g.input->path = paths[i];
        g.before = g.last + 1;
        status = read_input(&g);
    }
    if (status == 0)
        status = tch_trace_load_finish(&g.all);
    if (status == 0)
        status = write_out(&g, out, *writing);
    ret->processes = tch_model_process_count(&g.all.model);
    ret->tracks = tch_model_track_count(&g.all.model);
    tch_trace_load_close(&g.all);
    tch_intern_release(&g.begun);
    tch_intern_release(&g.others);
    free(g.first_of);
    free(g.inputs);
    return status;
}

void tch_merged_release(struct tch_merged *m)
{
    free(m->inputs);
    *m = (struct tch_merged){0};
}
