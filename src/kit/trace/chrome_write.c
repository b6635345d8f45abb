/* Writes the model as Chrome JSON: an array, or an object that contains one. */
#include <stdlib.h>
#include <string.h>

#include "lib/trace/chrome_writer.h"
#include "trace_write.h"

static int begin(struct tch_trace_writer *w)
{
    static const char object[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    struct tch_chrome *c = malloc(sizeof *c);

    w->own = c;
    if (!c)
        return tch_trace_writer_no_memory(w);
    tch_chrome_init(c, w->m, &w->out, ",\n");
    if (w->options.object)
        tch_trace_writer_put(w, object, sizeof object - 1);
    else
        tch_trace_writer_put(w, "[", 1);
    return tch_chrome_names(c);
}

static int add(struct tch_trace_writer *w, const struct tch_ev *ev)
{
    return tch_chrome_add(w->own, ev);
}

static int finish(struct tch_trace_writer *w)
{
    return w->options.object ? tch_trace_writer_put(w, "\n]}\n", 4)
                             : tch_trace_writer_put(w, "\n]\n", 3);
}

static void release(struct tch_trace_writer *w)
{
    tch_chrome_release(w->own);
}

const struct tch_write_format tch_trace_as_chrome = {.extension = ".json",
                                                     .name = "Chrome JSON",
                                                     .labels = true,
                                                     .begin = begin,
                                                     .add = add,
                                                     .finish = finish,
                                                     .release = release};

const struct tch_write_format tch_trace_as_chrome_gz = {.extension = ".json.gz",
                                                        .name = "Chrome JSON, gzip",
                                                        .labels = true,
                                                        .begin = begin,
                                                        .add = add,
                                                        .finish = finish,
                                                        .release = release};
