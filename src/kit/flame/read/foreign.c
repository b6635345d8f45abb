/* Recognises files of other profilers by their first bytes. */
#include "foreign.h"

#include <string.h>

/* In an advice, FILE stands for the file. A message has 227 characters; a path that does not fit is
   left as FILE. */
#define CAPTURE "tacho flame -- COMMAND"

static const struct tch_foreign perf_data = {"perf.data, not text",
                                             "use: perf script -i FILE | tacho flame draw -"};
static const struct tch_foreign pprof = {
    "a pprof profile", "use: go tool pprof -raw FILE | stackcollapse-go.pl | tacho flame draw -"};
static const struct tch_foreign callgrind = {
    "a callgrind profile, which has call counts and no stacks",
    "use: callgrind_annotate FILE, or " CAPTURE};
static const struct tch_foreign massif = {"a massif profile", "use: ms_print FILE"};
static const struct tch_foreign jfr = {"a JFR recording",
                                       "use: jfrconv -o collapsed FILE OUT, then draw OUT"};
static const struct tch_foreign speedscope = {
    "a speedscope profile",
    "open it at https://www.speedscope.app, or let its profiler write folded "
    "stacks, as tacho flame --folded does"};
static const struct tch_foreign cpuprofile = {
    "a CPU profile of V8 (.cpuprofile)",
    "open it in Chrome's DevTools, or use: tacho flame -- node --perf-basic-prof "
    "--interpreted-frames-native-stack SCRIPT"};
static const struct tch_foreign firefox = {
    "a profile of the Firefox Profiler",
    "open it at https://profiler.firefox.com, or use: " CAPTURE};
static const struct tch_foreign bpftrace_json = {"JSON of bpftrace",
                                                 "run bpftrace without -f json"};
static const struct tch_foreign chrome_trace = {
    "a Chrome trace", "use: tacho trace convert FILE -o trace.folded, then draw that"};
static const struct tch_foreign json = {
    "JSON of an unknown kind",
    "let its profiler write folded stacks, one 'main;f;g COUNT' per line"};
static const struct tch_foreign markup = {"an SVG or HTML page",
                                          "draw the stacks that it was made from"};
static const struct tch_foreign binary = {
    "a binary file",
    "let its profiler write folded stacks, or text as perf script, DTrace and bpftrace do"};

static bool has(struct tch_span text, const char *what)
{
    return memmem(text.p, text.len, what, strlen(what)) != NULL;
}

/* Returns whether a line starts with `what`. */
static bool has_line(struct tch_span text, const char *what)
{
    const char *at = text.p;
    const char *end = text.p + text.len;

    while (at && at < end) {
        if (tch_span_starts((struct tch_span){at, (size_t)(end - at)}, what))
            return true;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return false;
}

/* Skips blanks and line breaks. */
static struct tch_span skip_space(struct tch_span text)
{
    size_t at = 0;

    while (at < text.len && strchr(" \t\r\n", text.p[at]))
        at++;
    return (struct tch_span){text.p + at, text.len - at};
}

static bool is_json(struct tch_span text)
{
    struct tch_span inside;

    if (text.len < 2 || (text.p[0] != '{' && text.p[0] != '['))
        return false;
    inside = skip_space((struct tch_span){text.p + 1, text.len - 1});
    /* "[unknown];main 3" and "{closure};main 3" are stacks. */
    return inside.len > 0 && inside.p[0] == (text.p[0] == '{' ? '"' : '{');
}

static const struct tch_foreign *find_json(struct tch_span text)
{
    if (has(text, "speedscope") || (has(text, "\"shared\"") && has(text, "\"frames\"")))
        return &speedscope;
    if (has(text, "\"callFrame\"") || (has(text, "\"nodes\"") && has(text, "\"hitCount\"")))
        return &cpuprofile;
    if (has(text, "\"attached_probes\""))
        return &bpftrace_json;
    if (has(text, "\"traceEvents\"") || has(text, "\"ph\""))
        return &chrome_trace;
    if (has(text, "\"meta\"") && (has(text, "\"interval\"") || has(text, "\"libs\"")))
        return &firefox;
    return &json;
}

/* The first message of a pprof file is a sample type: its type and its unit, two small numbers. */
static bool is_pprof(struct tch_span head)
{
    return head.len >= 6 && head.p[0] == 0x0a && head.p[1] > 0 && head.p[1] < 0x10 &&
           head.p[2] == 0x08;
}

const struct tch_foreign *tch_foreign_find(struct tch_span head)
{
    struct tch_span text = skip_space(head);

    if (tch_span_starts(head, "PERFILE2"))
        return &perf_data;
    if (is_pprof(head))
        return &pprof;
    if (head.len >= 4 && memcmp(head.p, "FLR\0", 4) == 0)
        return &jfr;
    if (head.len > 0 && memchr(head.p, '\0', head.len))
        return &binary;
    if (tch_span_starts(text, "# callgrind format") ||
        (has_line(text, "events: ") &&
         (has_line(text, "fn=") || has_line(text, "positions:") || has_line(text, "creator:"))))
        return &callgrind;
    if (has_line(text, "desc:") && has_line(text, "time_unit:"))
        return &massif;
    if (tch_span_starts(text, "<?xml") || tch_span_starts(text, "<svg") ||
        tch_span_starts(text, "<!DOCTYPE") || tch_span_starts(text, "<html"))
        return &markup;
    return is_json(text) ? find_json(text) : NULL;
}
