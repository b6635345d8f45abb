/* Parses the names of recorded metrics. recorded_metric_find.c computes their values. */
#include "recorded_metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/utf8.h"
#include "kit/event/event_stages.h"

static const struct {
    const char *prefix;
    enum tch_metric_statistic usual;
} sources[] = {
    [TCH_METRIC_SPAN] = {"span:", TCH_STATISTIC_TOTAL},
    [TCH_METRIC_STAGE] = {"stage:", TCH_STATISTIC_P50},
    [TCH_METRIC_LATENCY] = {"latency:", TCH_STATISTIC_P50},
};

static const char *const statistics[TCH_STATISTICS] = {"total", "count", "mean",
                                                       "p50",   "p99",   "max"};

/* The parts of a metric's name. */
struct parts {
    enum tch_metric_source source;
    const char *text;
    size_t len;
    enum tch_metric_statistic statistic;
    bool complete; /* the name has a statistic */
};

static bool parse(const char *text, struct parts *ret)
{
    const char *colon;

    for (enum tch_metric_source i = TCH_METRIC_SPAN; i <= TCH_METRIC_LATENCY; i++) {
        size_t prefix = strlen(sources[i].prefix);

        if (strncmp(text, sources[i].prefix, prefix) != 0)
            continue;
        *ret = (struct parts){.source = i, .text = text + prefix, .statistic = sources[i].usual};
        ret->len = strlen(ret->text);
        colon = strrchr(ret->text, ':');
        for (int s = 0; colon && s < TCH_STATISTICS; s++)
            if (strcmp(colon + 1, statistics[s]) == 0) {
                ret->statistic = (enum tch_metric_statistic)s;
                ret->len = (size_t)(colon - ret->text);
                ret->complete = true;
            }
        return true;
    }
    return false;
}

bool tch_recorded_metric_is(const char *text)
{
    struct parts parts;

    return parse(text, &parts);
}

bool tch_recorded_metric_complete(const char *text)
{
    struct parts parts;

    return parse(text, &parts) && parts.complete;
}

bool tch_recorded_metric_name(const char *text, char ret[TCH_RECORDED_METRIC_TEXT])
{
    struct parts p;
    int n;

    if (!parse(text, &p) || p.len == 0 || p.len > TCH_RECORDED_METRIC_TEXT)
        return false;
    n = snprintf(ret, TCH_RECORDED_METRIC_TEXT, "%s%.*s:%s", sources[p.source].prefix, (int)p.len,
                 p.text, statistics[p.statistic]);
    return n > 0 && n < TCH_RECORDED_METRIC_TEXT;
}

enum tch_metric_source tch_metric_source_of(const char *name)
{
    struct parts p;

    return parse(name, &p) ? p.source : TCH_METRIC_PRINTED;
}

enum tch_unit tch_metric_unit(const char *name)
{
    struct parts p;

    if (!parse(name, &p))
        return TCH_PLAIN;
    if (p.statistic == TCH_STATISTIC_COUNT ||
        (p.source == TCH_METRIC_STAGE && tch_stage_is_count(p.text, p.len)))
        return TCH_COUNT;
    return TCH_NS;
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
static const char *unknown_statistic(const struct parts *p)
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

int tch_recorded_metric_init(struct tch_metric *metric, const char *spec, tacho_error *err)
{
    char name[TCH_RECORDED_METRIC_TEXT];
    struct parts p;
    size_t size;

    *metric = (struct tch_metric){0};
    if (!parse(spec, &p) || p.len == 0)
        return fail_name(err, spec, "there is no name after the first ':'");
    if (!tch_recorded_metric_name(spec, name))
        return fail_name(err, spec, "with its statistic it is longer than 127 bytes");
    if (!good_text(p.text, p.len))
        return fail_name(err, spec,
                         "names cannot contain control characters, quotes or backslashes");
    if (unknown_statistic(&p))
        return tch_fail(err, TACHO_EINVAL, 0,
                        "'%.80s': '%.20s' is not a statistic; use total, count, mean, p50, p99 or "
                        "max, also after a name that ends like this",
                        spec, unknown_statistic(&p));
    if (p.source == TCH_METRIC_STAGE && !memchr(p.text, '.', p.len))
        return fail_name(err, spec, "a stage needs the form EVENT.STAGE");
    size = strlen(name) + 1;
    metric->id.name = malloc(size + p.len + 1);
    if (!metric->id.name)
        return tch_fail_memory(err);
    memcpy(metric->id.name, name, size);
    metric->text = metric->id.name + size;
    memcpy(metric->text, p.text, p.len);
    metric->text[p.len] = '\0';
    metric->source = p.source;
    metric->statistic = p.statistic;
    return 0;
}
