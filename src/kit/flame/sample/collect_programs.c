/* Finds the programs whose stacks are mostly truncated or unnamed, and advises what to do about
   it. */
#include "collect_programs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "perf_rings.h"

enum {
    LEAST_SAMPLES = 20, /* with fewer samples, the shares of a program mean nothing */
    CUT_SHARE = 20,     /* fewer stacks than this part may be longer than the copy */
    LEAST_SHARE = 20,   /* a program with less than 1/LEAST_SHARE of all samples is not mentioned */
};

void tch_programs_release(struct tch_flame_programs *programs)
{
    tch_intern_release(&programs->names);
    free(programs->list);
    *programs = (struct tch_flame_programs){0};
}

uint32_t tch_programs_add(struct tch_flame_programs *programs, const char *name)
{
    uint32_t id = tch_intern_add(&programs->names, name, strlen(name));

    if (id == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&programs->list, &programs->cap, (size_t)id + 1) < 0)
        return TCH_INTERN_NONE;
    return id;
}

enum tch_runtime tch_runtime_of(const char *file)
{
    static const struct {
        const char *start;
        enum tch_runtime runtime;
    } files[] = {
        {"libjvm.so", TCH_RUNTIME_JAVA},
        {"libnode.so", TCH_RUNTIME_NODE},
        {"libpython3.", TCH_RUNTIME_PYTHON},
        {"python3.", TCH_RUNTIME_PYTHON},
    };

    if (strcmp(file, "node") == 0 || strcmp(file, "nodejs") == 0)
        return TCH_RUNTIME_NODE;
    if (strcmp(file, "python3") == 0)
        return TCH_RUNTIME_PYTHON;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (strncmp(file, files[i].start, strlen(files[i].start)) == 0)
            return files[i].runtime;
    return TCH_RUNTIME_NATIVE;
}

static bool is_most(uint64_t part, uint64_t all)
{
    return part > all / 2;
}

static void add_share(struct tch_buf *b, uint64_t part, uint64_t all, const char *what)
{
    tch_buf_addf(b, ": %u%% of its stacks %s; ", (unsigned)(100 * part / all), what);
}

static const char more_stack[] = "copy more of each stack with --stack-size %dk";

static void add_advice(const struct tch_flame_program *p, uint32_t stack_bytes, const char *name,
                       struct tch_buf *b)
{
    bool truncated = is_most(p->truncated, p->samples);
    bool anonymous = is_most(p->jit, p->samples) && is_most(p->unnamed, p->places);

    if (p->runtime == TCH_RUNTIME_PYTHON && !truncated && p->jit == 0) {
        tch_buf_addf(b,
                     "%s: its stacks do not name Python functions; Python 3.12 and newer do so "
                     "with 'python3 -X perf'",
                     name);
        tch_buf_addc(b, '\0');
        return;
    }
    if (!truncated && !anonymous) {
        if (p->cut > p->samples / CUT_SHARE && stack_bytes < TCH_STACK_COPY_MAX) {
            tch_buf_adds(b, name);
            add_share(b, p->cut, p->samples,
                      "are truncated, because they are longer than the copy");
            tch_buf_addf(b, more_stack, TCH_STACK_COPY_MAX / 1024);
            tch_buf_addc(b, '\0');
        }
        return;
    }
    tch_buf_adds(b, name);
    if (truncated)
        add_share(b, p->truncated, p->samples, "are truncated");
    else
        add_share(b, p->jit, p->samples, "contain JIT-compiled code without names");
    if (truncated && is_most(p->cut, p->truncated) && stack_bytes < TCH_STACK_COPY_MAX)
        tch_buf_addf(b, more_stack, TCH_STACK_COPY_MAX / 1024);
    else if (p->runtime == TCH_RUNTIME_JAVA)
        tch_buf_adds(b, "run java with -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions "
                        "-XX:+DumpPerfMapAtExit (before JDK 17 with a perf map agent)");
    else if (p->runtime == TCH_RUNTIME_NODE)
        tch_buf_adds(b, "run node with --perf-basic-prof --interpreted-frames-native-stack");
    else if (truncated)
        tch_buf_adds(
            b, "compile the program with -fasynchronous-unwind-tables or -fno-omit-frame-pointer");
    else
        tch_buf_adds(b, "configure its JIT compiler to write /tmp/perf-PID.map");
    tch_buf_addc(b, '\0');
}

void tch_programs_advise(const struct tch_flame_programs *programs, uint32_t stack_bytes,
                         struct tch_buf *lines)
{
    uint64_t all = 0;

    for (uint32_t i = 0; i < programs->names.count; i++)
        all += programs->list[i].samples;
    for (uint32_t i = 0; i < programs->names.count; i++) {
        const struct tch_flame_program *p = &programs->list[i];

        if (p->samples >= LEAST_SAMPLES && p->samples >= all / LEAST_SHARE)
            add_advice(p, stack_bytes, tch_intern_text(&programs->names, i), lines);
    }
}
