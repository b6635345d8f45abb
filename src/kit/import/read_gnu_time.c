/* GNU time -v: a block of lines per process. */
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "import_read.h"

static const char head[] = "Command being timed: ";

/* The block that is being read. */
struct block {
    struct tch_result *r;
    size_t run;
    double signal; /* NAN: it was not killed */
};

static bool is_gnu_time(const struct tch_import_input *in)
{
    return memmem(in->text, in->len, head, sizeof head - 1) &&
           memmem(in->text, in->len, "Elapsed (wall clock) time", 25);
}

/* Begins a block. A command that was timed before gets another run. */
static void begin(struct tch_import_input *in, struct block *b, struct tch_span command)
{
    command = tch_span_trim(command);
    if (command.len >= 2 && command.p[0] == '"' && command.p[command.len - 1] == '"')
        command = (struct tch_span){command.p + 1, command.len - 2};
    b->r = tch_import_bench(in, command.p, command.len, true);
    if (b->r)
        b->run = b->r->run_count - in->set->states[b->r - in->set->results].base;
}

/* Returns seconds from "h:mm:ss" or "m:ss.cc"; NAN if it is neither. */
static double clock_time(struct tch_span text)
{
    double sum = 0;

    for (;;) {
        const char *colon = text.len > 0 ? memchr(text.p, ':', text.len) : NULL;
        size_t len = colon ? (size_t)(colon - text.p) : text.len;
        double part;

        while (len > 1 && *text.p == '0' && text.p[1] != '.') { /* "02.15" */
            text.p++;
            text.len--;
            len--;
        }
        if (tch_parse_f64_n(text.p, len, &part) < 0)
            return NAN;
        sum = sum * 60 + part;
        if (!colon)
            return sum;
        text = (struct tch_span){colon + 1, text.len - len - 1};
    }
}

static double number_of(struct tch_span text)
{
    double value = NAN;

    (void)tch_parse_f64_n(text.p, text.len, &value);
    return value;
}

static void add_value(struct tch_import_input *in, const struct block *b, struct tch_span key,
                      struct tch_span value)
{
    static const struct {
        const char *key;
        const char *metric;
        const char *unit;
        double scale;
    } lines[] = {
        {"User time (seconds)", "user", "ns", 1e9},
        {"System time (seconds)", "system", "ns", 1e9},
        {"Maximum resident set size (kbytes)", "memory", "B", 1024},
        {"Major (requiring I/O) page faults", "major_faults", "count", 1},
        {"Minor (reclaiming a frame) page faults", "minor_faults", "count", 1},
        {"Voluntary context switches", "voluntary_switches", "count", 1},
        {"Involuntary context switches", "involuntary_switches", "count", 1},
    };

    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        const struct tch_import_metric m = {lines[i].metric, lines[i].unit, TCH_BETTER_LOWER,
                                            false};

        if (tch_span_is(key, lines[i].key))
            tch_import_value(in, b->r, &m, b->run, number_of(value) * lines[i].scale);
    }
    if (tch_span_is(key, "Elapsed (wall clock) time (h:mm:ss or m:ss)"))
        tch_import_value(in, b->r, &tch_import_wall, b->run, clock_time(value) * 1e9);
    /* A process that was killed has the status 0 here. */
    if (tch_span_is(key, "Exit status") && number_of(value) >= 0 && number_of(value) < 256)
        tch_import_exit(in, b->r, b->run,
                        isnan(b->signal) ? (int)number_of(value) : 128 + (int)b->signal);
}

static void read_line(struct tch_import_input *in, struct tch_span line, void *ctx)
{
    static const char killed[] = "Command terminated by signal ";
    struct block *b = ctx;
    const char *end;

    line = tch_span_trim(line);
    if (tch_span_starts(line, killed)) {
        line.p += sizeof killed - 1;
        line.len -= sizeof killed - 1;
        b->signal = number_of(line);
        if (!(b->signal > 0 && b->signal < 65))
            b->signal = NAN;
    } else if (tch_span_starts(line, head)) {
        begin(in, b, (struct tch_span){line.p + sizeof head - 1, line.len - sizeof head + 1});
    } else if (b->r && (end = memmem(line.p, line.len, ": ", 2))) {
        /* "(h:mm:ss or m:ss)" has colons, but no space after them. */
        struct tch_span key = {line.p, (size_t)(end - line.p)};

        add_value(in, b, key, (struct tch_span){end + 2, line.len - key.len - 2});
        if (tch_span_is(key, "Exit status"))
            *b = (struct block){.signal = NAN};
    }
}

static void read_gnu_time(struct tch_import_input *in)
{
    struct block b = {.signal = NAN};

    tch_import_lines(in, read_line, &b);
}

const struct tch_import_reader tch_import_gnu_time = {
    .format =
        {.name = "gnu-time",
         .tool = "GNU time",
         .is = "lines \"Command being timed: ...\" and \"Elapsed (wall clock) time\" of time -v",
         .repetition = TCH_BY_PROCESS},
    .is = is_gnu_time,
    .read = read_gnu_time,
};
