/* Captures with the caller's own profiler, through the functions by which it passes its stacks. */
#include <limits.h>

#include "backend_tool.h"
#include "base/clock.h"
#include "base/fail.h"

enum {
    SVG_MAX = 256 << 20,
    EXTRA_FLAGS = TACHO_FLAME_FOLDED | TACHO_FLAME_PPROF | TACHO_FLAME_SPEEDSCOPE,
};

struct tacho_flame_output {
    struct tch_capture *c;
    struct tch_buf svg;
    uint32_t frames[TCH_STACK_DEEPEST]; /* frames of the stack being added */
};

int tacho_flame_add_stack(tacho_flame_output *out, const char *frames, uint64_t count,
                          tacho_error *err)
{
    struct tch_stacks *stacks = &out->c->stacks;
    size_t found = 0;
    int64_t id;

    if (strpbrk(frames, "\r\n"))
        return tch_fail(err, TACHO_EINVAL, 0, "a frame contains a line break");
    for (size_t len; *frames; frames += len + (frames[len] == ';')) {
        uint32_t name;

        len = strcspn(frames, ";");
        if (len == 0)
            continue;
        name = tch_intern_add(&stacks->names, frames, len);
        if (name == TCH_INTERN_NONE)
            return tch_fail_memory(err);
        if (found < TCH_STACK_DEEPEST)
            out->frames[found++] = name;
        else
            stacks->cut += count;
    }
    if (found == 0)
        return tch_fail(err, TACHO_EINVAL, 0, "a stack has no frames");
    id = tch_stacks_add(stacks, out->frames, found, count, err);
    if (id < 0)
        return (int)id;
    out->c->result.samples += count;
    return 0;
}

int tacho_flame_set_svg(tacho_flame_output *out, const char *svg, size_t len, tacho_error *err)
{
    tch_buf_clear(&out->svg);
    tch_buf_add(&out->svg, svg, len);
    return out->svg.failed ? tch_fail_memory(err) : 0;
}

void tacho_flame_set_wait_status(tacho_flame_output *out, int status)
{
    out->c->result.wait_status = status;
    out->c->ended_ns = tch_now_ns();
}

int tch_own_capture(struct tch_capture *c, tacho_error *err)
{
    const tacho_flame_profiler *own = &c->own_profiler;
    tacho_flame_output *out = malloc(sizeof *out);
    tacho_error why = {.message = ""};
    int status;

    if (!out)
        return tch_fail_memory(err);
    out->c = c;
    tch_buf_init(&out->svg, SVG_MAX);
    status = own->capture(own->ctx, &c->request, out, &why);
    if (c->ended_ns == 0)
        c->ended_ns = tch_now_ns();
    if (status < 0 && why.message[0] == '\0')
        status =
            tacho_flame_fail(err, TACHO_FLAME_COMMAND_FAILED, own->name, tacho_status_name(status));
    else if (status < 0 && err)
        *err = why;
    else if (status >= 0 && out->svg.len > 0 && c->stacks.count == 0 &&
             c->request.flags & EXTRA_FLAGS)
        status = tch_fail(err, TACHO_EUNSUPPORTED, 0,
                          "profiler '%s' returns a picture without stacks, so no other format can "
                          "be written",
                          own->name);
    else if (status >= 0)
        status = out->svg.len > 0 ? tch_tool_adopt_text(c, &out->svg, err) : 0;
    tch_buf_release(&out->svg);
    free(out);
    return status;
}
