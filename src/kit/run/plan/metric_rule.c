/* Finds numbers in the output of a program. */
#include "metric_rule.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "kit/text/regex_limit.h"

enum { LINE_LONGEST = 1 << 20, BLOCK = 1 << 20 };

static int fail_spec(tacho_error *err, const char *spec, const char *why)
{
    return tch_fail(err, TACHO_EINVAL, 0, "'%.80s' is not NAME=REGEX: %s", spec, why);
}

/* Returns whether a name is valid. Names are written to files unchanged, so they must be simple. */
static bool good_name(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!(name[i] == '_' || (name[i] >= 'a' && name[i] <= 'z') ||
              (name[i] >= 'A' && name[i] <= 'Z') || (i > 0 && name[i] >= '0' && name[i] <= '9')))
            return false;
    return len > 0 && len <= 64;
}

static int fail_name(tacho_error *err, const char *spec, const char *why)
{
    return tch_fail(err, TACHO_EINVAL, 0, "'%.80s' is not the name of a recorded metric: %s", spec,
                    why);
}

/* Returns whether a name is valid. Names are JSON keys and table cells, so they must not contain
   bytes that need an escape there. */
static bool good_text(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f || text[i] == '"' || text[i] == '\\')
            return false;
    return tch_utf8_valid(text, len) == len;
}

/* Returns the last part of a name if it looks like a statistic that does not exist, such as "p95"
   or "min"; otherwise NULL. */
static const char *unknown_statistic(const struct tch_metric_name *p)
{
    static const char *const others[] = {"avg", "average", "median", "min",
                                         "sum", "sd",      "stddev", NULL};
    const char *last = p->complete ? NULL : strrchr(p->text, ':');

    if (!last)
        return NULL;
    last++;
    for (size_t i = 0; others[i]; i++)
        if (strcmp(last, others[i]) == 0)
            return last;
    return last[0] == 'p' && last[1] && strspn(last + 1, "0123456789.") == strlen(last + 1) ? last
                                                                                            : NULL;
}

/* Initialises the rule of something recorded, whose name must not contain bytes that need an escape
   in JSON. */
static int init_recorded(struct tch_metric_rule *metric, const char *spec, tacho_error *err)
{
    char name[TCH_METRIC_TEXT];
    struct tch_metric_name p;

    if (!tch_metric_name_parse(spec, &p) || p.len == 0)
        return fail_name(err, spec, "there is no name after the first ':'");
    if (!tch_metric_name_complete(spec, name))
        return fail_name(err, spec, "with its statistic it is longer than 127 bytes");
    if (!good_text(p.text, p.len))
        return fail_name(err, spec,
                         "names cannot contain control characters, quotes or backslashes");
    if (unknown_statistic(&p))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%.80s': '%.20s' is not a statistic; use total, count, mean, p50, p99 or "
                        "max, also after a name that ends like this",
                        spec, unknown_statistic(&p));
    if (p.source == TCH_FROM_STAGES && !memchr(p.text, '.', p.len))
        return fail_name(err, spec, "a stage needs the form EVENT.STAGE");
    *metric = (struct tch_metric_rule){.name = strdup(name), .source = p.source};
    return metric->name ? 0 : tch_fail_memory(err);
}

int tch_metric_rule_init(struct tch_metric_rule *metric, const char *spec, tacho_error *err)
{
    bool all = strncmp(spec, "all:", 4) == 0;
    const char *name = all ? spec + 4 : spec;
    const char *equals = strchr(name, '=');
    tacho_error why;
    int status;

    *metric = (struct tch_metric_rule){.all = all, .source = TCH_FROM_OUTPUT};
    if (tch_metric_is_recorded(spec))
        return init_recorded(metric, spec, err);
    if (!equals)
        return fail_spec(err, spec, "there is no '='");
    if (!good_name(name, (size_t)(equals - name)))
        return fail_spec(err, spec, "a name is up to 64 letters, digits and '_'");
    if (!equals[1])
        return fail_spec(err, spec, "the expression is empty");
    metric->name = strdup(name);
    if (!metric->name)
        return tch_fail_memory(err);
    metric->name[equals - name] = '\0';
    metric->text = metric->name + (equals - name) + 1;
    status = tch_regex_compile(&metric->regex, metric->text, 0, &why);
    if (status == 0)
        return 0;
    free(metric->name);
    *metric = (struct tch_metric_rule){0};
    return status == TACHO_ENOMEM ? tch_fail_memory(err) : fail_spec(err, spec, why.message);
}

void tch_metric_rule_release(struct tch_metric_rule *metric)
{
    if (!metric->name)
        return;
    if (metric->source == TCH_FROM_OUTPUT)
        regfree(&metric->regex);
    free(metric->name);
    *metric = (struct tch_metric_rule){0};
}

/* Keeps the start of a text that is not a number, for a warning. Keeps only the first one. */
static void refuse(struct tch_found_numbers *numbers, const char *text, size_t len)
{
    size_t n = len < TCH_REFUSED_TEXT - 1 ? len : TCH_REFUSED_TEXT - 1;

    if (numbers->refused[0])
        return;
    for (size_t i = 0; i < n; i++)
        numbers->refused[i] = (char)(text[i] >= ' ' && text[i] <= '~' ? text[i] : '?');
    numbers->refused[n] = '\0';
}

/* Parses the number of a match. Returns false if it is not a finite number. */
static bool number_of(const struct tch_metric_rule *metric, const char *line, const regmatch_t m[2],
                      double *ret, struct tch_found_numbers *numbers)
{
    const regmatch_t *which = metric->regex.re_nsub > 0 ? &m[1] : &m[0];
    const char *text = line + which->rm_so;
    const char *end = line + which->rm_eo;

    *ret = 1;
    if (metric->any || which->rm_so < 0)
        return metric->any;
    if (text < end && *text == '+')
        text++;
    if (tch_parse_f64_n(text, (size_t)(end - text), ret) == 0 && isfinite(*ret))
        return true;
    refuse(numbers, line + which->rm_so, (size_t)(which->rm_eo - which->rm_so));
    return false;
}

/* Adds every number of a line, or the last one. Returns 1 if there was one. Ignores a line that is
   too long. */
static int find_in_line(const struct tch_metric_rule *metric, const char *text, size_t len,
                        struct tch_buf *copy, struct tch_found_numbers *numbers, tacho_error *err)
{
    const char *line;
    regmatch_t m[2];
    double last = 0;
    bool found = false;

    while (len > 0 && *text == '\0') { /* NULs of a hole before the line */
        text++;
        len--;
    }
    if (len > LINE_LONGEST)
        return 0;
    tch_buf_clear(copy);
    tch_buf_add(copy, text, len); /* the search needs a NUL after the line */
    if (copy->failed)
        return tch_fail_memory(err);
    line = copy->data;
    for (int flags = 0;; flags = REG_NOTBOL) {
        int match = tch_regex_search(&metric->regex, line, 2, m, flags);
        double value;

        if (match < 0)
            return tch_fail_memory(err);
        if (match == 0)
            break;
        if (number_of(metric, line, m, &value, numbers)) {
            if (metric->all && tch_values_add(&numbers->values, value, err) < 0)
                return TACHO_ENOMEM;
            last = value;
            found = true;
        }
        if (m[0].rm_eo == 0)
            break; /* an empty match would repeat forever */
        line += m[0].rm_eo;
    }
    if (found && !metric->all) {
        numbers->values.n = 0;
        if (tch_values_add(&numbers->values, last, err) < 0)
            return TACHO_ENOMEM;
    }
    return found;
}

/* The output of a run, read in blocks. It is not mapped, because the program may truncate it at any
   time. A line that crosses two blocks is carried over: in front of the text when reading forward,
   at its end when reading backward. Of a line that is too long, one byte more than the limit is
   carried, so that it stays too long. */
struct output {
    int fd;
    const char *name;
    struct tch_buf copy;
    char text[BLOCK + LINE_LONGEST + 1];
    size_t carried;
};

/* Reads a block. Returns its length, 0 for a hole of a sparse file, or a negative code. A truncated
   file has no more bytes. */
static ssize_t read_block(const struct output *o, off_t at, size_t len, char *to, tacho_error *err)
{
    off_t data = lseek(o->fd, at, SEEK_DATA);
    size_t got = 0;
    ssize_t n = 1;

    if (data >= at + (off_t)len || (data < 0 && errno == ENXIO))
        return 0;
    while (got < len && n != 0) {
        n = pread(o->fd, to + got, len - got, at + (off_t)got);
        if (n < 0 && errno != EINTR)
            return tch_fail_errno(err, errno, "cannot read '%s'", o->name);
        got += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)got;
}

/* Carries text over to the next block. */
static void carry(struct output *o, char *to, const char *text, size_t len)
{
    o->carried = len < LINE_LONGEST + 1 ? len : LINE_LONGEST + 1;
    memmove(to, text, o->carried);
}

static int find_every(const struct tch_metric_rule *metric, struct output *o, off_t at, off_t end,
                      struct tch_found_numbers *numbers, tacho_error *err)
{
    int status = 0;

    o->carried = 0;
    while (at < end && status >= 0) {
        size_t len = end - at < BLOCK ? (size_t)(end - at) : BLOCK;
        ssize_t n = read_block(o, at, len, o->text + o->carried, err);
        const char *line = o->text;
        const char *stop = o->text + o->carried + (n > 0 ? n : 0);
        const char *feed;

        if (n < 0)
            return (int)n;
        at += (off_t)len;
        while (status >= 0 && (feed = memchr(line, '\n', (size_t)(stop - line)))) {
            status = find_in_line(metric, line, (size_t)(feed - line), &o->copy, numbers, err);
            line = feed + 1;
        }
        carry(o, o->text, line, (size_t)(stop - line));
        if (status >= 0 && o->carried > 0 &&
            (at >= end || (size_t)n < len)) { /* the line ends here */
            status = find_in_line(metric, o->text, o->carried, &o->copy, numbers, err);
            o->carried = 0;
        }
    }
    return status < 0 ? status : 0;
}

/* Searches backward from the end, so a long output costs no more than a short one. */
static int find_last(const struct tch_metric_rule *metric, struct output *o, off_t from, off_t end,
                     struct tch_found_numbers *numbers, tacho_error *err)
{
    char *const middle = o->text + BLOCK; /* blocks end here, and the carried text follows */
    int status = 0;

    o->carried = 0;
    while (end > from && status == 0) {
        size_t len = end - from < BLOCK ? (size_t)(end - from) : BLOCK;
        char *start = middle - len;
        ssize_t n = read_block(o, end - (off_t)len, len, start, err);
        const char *stop = middle + o->carried;
        const char *feed;

        if (n < 0)
            return (int)n;
        end -= (off_t)len;
        if ((size_t)n < len) { /* a hole, or the file was truncated; no line crosses it */
            status = find_in_line(metric, middle, o->carried, &o->copy, numbers, err);
            stop = start + n;
        }
        while (status == 0 && (feed = memrchr(start, '\n', (size_t)(stop - start)))) {
            status =
                find_in_line(metric, feed + 1, (size_t)(stop - feed - 1), &o->copy, numbers, err);
            stop = feed;
        }
        carry(o, middle, start, (size_t)(stop - start));
    }
    if (status == 0 && o->carried > 0)
        status = find_in_line(metric, middle, o->carried, &o->copy, numbers, err);
    return status < 0 ? status : 0;
}

int tch_metric_rule_find(const struct tch_metric_rule *metric, int fd, off_t from, const char *name,
                         struct tch_found_numbers *numbers, tacho_error *err)
{
    struct output *o;
    struct stat st;
    int status;

    if (fstat(fd, &st) < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", name);
    if (st.st_size <= from)
        return 0;
    o = malloc(sizeof *o);
    if (!o)
        return tch_fail_memory(err);
    o->fd = fd;
    o->name = name;
    tch_buf_init(&o->copy, LINE_LONGEST);
    status = (metric->all ? find_every : find_last)(metric, o, from, st.st_size, numbers, err);
    tch_buf_release(&o->copy);
    free(o);
    return status;
}

void tch_metric_rules_write(struct tch_buf *b, const struct tch_metric_rule *rules, size_t count)
{
    tch_json_begin_array(b);
    for (size_t i = 0; i < count; i++) {
        tch_json_begin_object(b);
        tch_json_put_text(b, "name", rules[i].name);
        tch_json_put_text(b, "regex", rules[i].text);
        tch_json_put_bool(b, "all", rules[i].all);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}
