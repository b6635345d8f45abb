/* Parses the lines of `perf script`. */
#include "perf_line.h"

#include "base/number.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Removes the next word from the front of *line and returns it; empty at the end. */
static struct tch_span next_word(struct tch_span *line)
{
    struct tch_span word;

    while (line->len > 0 && (line->p[0] == ' ' || line->p[0] == '\t')) {
        line->p++;
        line->len--;
    }
    word = (struct tch_span){line->p, 0};
    while (word.len < line->len && word.p[word.len] != ' ' && word.p[word.len] != '\t')
        word.len++;
    line->p += word.len;
    line->len -= word.len;
    return word;
}

static bool all_are(struct tch_span word, bool (*is)(char))
{
    for (size_t i = 0; i < word.len; i++)
        if (!is(word.p[i]))
            return false;
    return word.len > 0;
}

/* Recognises "123" or "122/123". */
static bool is_ids(struct tch_span word)
{
    const char *slash = memchr(word.p, '/', word.len);
    size_t first = slash ? (size_t)(slash - word.p) : word.len;

    return all_are((struct tch_span){word.p, first}, is_digit) &&
           (!slash || all_are((struct tch_span){slash + 1, word.len - first - 1}, is_digit));
}

/* Recognises "[003]". */
static bool is_cpu(struct tch_span word)
{
    return word.len > 2 && word.p[0] == '[' && word.p[word.len - 1] == ']' &&
           all_are((struct tch_span){word.p + 1, word.len - 2}, is_digit);
}

/* Parses "123.456789:", also without a fraction, to nanoseconds. */
static bool is_time(struct tch_span word, uint64_t *ns)
{
    uint64_t seconds;
    uint64_t part = 0;
    uint64_t unit = 1000000000;
    size_t point;

    if (word.len < 2 || word.p[word.len - 1] != ':')
        return false;
    word.len--;
    for (point = 0; point < word.len && word.p[point] != '.'; point++)
        ;
    if (tch_parse_u64_n(word.p, point, UINT64_MAX / 1000000000 - 1, &seconds) < 0)
        return false;
    for (size_t i = point + 1; i < word.len; i++) {
        if (!is_digit(word.p[i]) || unit == 1)
            return false;
        unit /= 10;
        part += unit * (uint64_t)(word.p[i] - '0');
    }
    *ns = seconds * 1000000000 + part;
    return true;
}

static bool is_event_name(struct tch_span word)
{
    return word.len > 1 && word.p[word.len - 1] == ':';
}

/* Parses the part after the thread: [cpu] time: period event: rest. Each of them may be missing. */
static void parse_tail(struct tch_perf_event *ret, struct tch_span tail)
{
    struct tch_span before = tail;
    struct tch_span word = next_word(&tail);

    if (is_cpu(word)) {
        before = tail;
        word = next_word(&tail);
    }
    if (is_time(word, &ret->time_ns)) {
        ret->has_time = true;
        before = tail;
        word = next_word(&tail);
    }
    if (tch_parse_u64_n(word.p, word.len, UINT64_MAX, &ret->period) == 0) {
        before = tail;
        word = next_word(&tail);
    }
    if (is_event_name(word)) {
        ret->name = (struct tch_span){word.p, word.len - 1};
        before = tail;
    }
    if (ret->period == 0)
        ret->period = 1;
    ret->rest = tch_span_trim(before);
}

/* Returns whether the word after a number proves that the number is a thread id. A program may be
   called "pool 1", so in doubt the last number before the CPU or the time is the thread id. */
static bool starts_tail(struct tch_span tail, bool by_event)
{
    struct tch_span word = next_word(&tail);
    uint64_t value;

    if (!by_event)
        return is_cpu(word) || is_time(word, &value);
    if (tch_parse_u64_n(word.p, word.len, UINT64_MAX, &value) == 0)
        word = next_word(&tail);
    return is_event_name(word);
}

static bool find_ids(struct tch_span line, bool by_event, struct tch_perf_event *ret)
{
    struct tch_span tail = line;

    for (next_word(&tail); tail.len > 0;) {
        struct tch_span word = next_word(&tail);
        const char *slash = memchr(word.p, '/', word.len);
        size_t first = slash ? (size_t)(slash - word.p) + 1 : 0;

        if (!is_ids(word) || !starts_tail(tail, by_event))
            continue;
        ret->comm = tch_span_trim((struct tch_span){line.p, (size_t)(word.p - line.p)});
        ret->pid = (struct tch_span){word.p, slash ? first - 1 : 0};
        ret->tid = (struct tch_span){word.p + first, word.len - first};
        parse_tail(ret, tail);
        return true;
    }
    return false;
}

bool tch_perf_event(struct tch_span line, struct tch_perf_event *ret)
{
    *ret = (struct tch_perf_event){.period = 1};
    line = tch_span_trim(line);
    if (tch_span_starts(line, "VM:")) { /* a virtual machine: "VM:    0 VCPU:000 " comes first */
        struct tch_span tail = line;

        for (int i = 0; i < 3 && tail.len > 0; i++) {
            struct tch_span word = next_word(&tail);

            if (tch_span_starts(word, "VCPU:")) {
                line = tch_span_trim(tail);
                break;
            }
        }
    }
    return find_ids(line, false, ret) || find_ids(line, true, ret);
}

/* Removes the offset from "main+0x1f". */
static struct tch_span without_offset(struct tch_span symbol)
{
    size_t plus = tch_span_rfind(symbol, "+0x");

    if (plus < symbol.len &&
        all_are((struct tch_span){symbol.p + plus + 3, symbol.len - plus - 3}, is_hex))
        symbol.len = plus;
    return symbol;
}

bool tch_perf_frame(struct tch_span line, struct tch_perf_frame *ret)
{
    static const char deleted[] = " (deleted))";

    *ret = (struct tch_perf_frame){.dso = {"", 0}};
    line = tch_span_trim(line);
    ret->ip = next_word(&line);
    if (!all_are(ret->ip, is_hex) || line.len == 0)
        return false;
    if (tch_span_ends(line, " (inlined)")) {
        ret->inlined = true;
        line.len -= strlen(" (inlined)");
    } else if (tch_span_ends(line, ")")) {
        /* The object is "(path)". The path may contain blanks and end in " (deleted)". */
        struct tch_span rest = line;
        size_t open;

        rest.len -= tch_span_ends(rest, deleted) ? strlen(deleted) : 1;
        open = tch_span_rfind(rest, " (");
        if (open < rest.len) {
            ret->dso = (struct tch_span){rest.p + open + 2, rest.len - open - 2};
            line.len = open;
        }
    }
    ret->symbol = without_offset(tch_span_trim(line));
    /* perf prints nothing for a symbol without a name. Such a frame is kept with a blank as its
       name. */
    if (ret->symbol.len == 0 && ret->dso.len > 0)
        ret->symbol = (struct tch_span){" ", 1};
    return ret->symbol.len > 0;
}

bool tch_perf_source(struct tch_span line, struct tch_span *ret, bool *inlined)
{
    size_t colon;

    line = tch_span_trim(line);
    *inlined = tch_span_ends(line, " (inlined)");
    if (*inlined)
        line.len -= strlen(" (inlined)");
    *ret = (struct tch_span){"", 0};
    /* If perf knows no line, it prints the object and the address, "libc.so.6[7f12]". */
    if (tch_span_starts(line, "??:") || tch_span_ends(line, "]"))
        return true;
    colon = tch_span_rfind(line, ":");
    if (colon == 0 || colon == line.len ||
        !all_are((struct tch_span){line.p + colon + 1, line.len - colon - 1}, is_digit))
        return false;
    *ret = line;
    return true;
}

struct tch_span tch_perf_plain_event(struct tch_span name)
{
    size_t colon = tch_span_rfind(name, ":");

    for (size_t i = colon + 1; i < name.len; i++)
        if (!strchr("ukhGHIpPSDWe", name.p[i]) || name.p[i] == '\0')
            return name;
    if (colon > 0 && colon + 1 <= name.len)
        name.len = colon;
    return name;
}

bool tch_perf_same_event(struct tch_span a, struct tch_span b)
{
    a = tch_perf_plain_event(a);
    b = tch_perf_plain_event(b);
    return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

bool tch_dso_is_kernel(struct tch_span dso)
{
    struct tch_span base = tch_span_base(dso);

    if (tch_span_starts(dso, "["))
        return !tch_span_is(dso, "[unknown]") && !tch_span_is(dso, "[vdso]");
    return tch_span_ends(base, "vmlinux") || tch_span_starts(base, "vmlinux-") ||
           tch_span_ends(base, ".ko") || tch_span_rfind(base, ".ko.") < base.len;
}

static size_t digits(struct tch_span span)
{
    size_t n = 0;

    while (n < span.len && span.p[n] >= '0' && span.p[n] <= '9')
        n++;
    return n;
}

/* Recognises "perf-123.map", written by a JIT, and "jitted-123-4.so", written by perf inject. */
bool tch_dso_is_jit(struct tch_span dso)
{
    struct tch_span base = tch_span_base(dso);
    bool map = tch_span_starts(base, "perf-") && tch_span_ends(base, ".map");
    bool jitted = tch_span_starts(base, "jitted-") && tch_span_ends(base, ".so");
    size_t skip = map ? strlen("perf-") : strlen("jitted-");

    return (map || jitted) && digits((struct tch_span){base.p + skip, base.len - skip}) > 0;
}

struct tch_span tch_java_symbol(struct tch_span symbol)
{
    if (tch_span_starts(symbol, "L") && memchr(symbol.p, '/', symbol.len))
        return (struct tch_span){symbol.p + 1, symbol.len - 1};
    return symbol;
}
