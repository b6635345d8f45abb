/* Catch2, -r xml: the mean of the samples of each benchmark, with its interval. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import_read.h"
#include "xml_events.h"

enum { DEPTH = 64 };

/* The path to the current element. Test cases and sections are part of a benchmark's name. */
struct catch2 {
    struct tch_import_input *in;
    struct tch_buf path;
    size_t ends[DEPTH]; /* length of the path before each element */
    size_t depth;
    struct tch_aggregate *mean; /* of the current benchmark */
    struct tch_result *r;
    uint64_t samples;
};

static const char *document_of(const struct tch_import_input *in)
{
    const char *xml = memmem(in->text, in->len, "<?xml", 5);
    const char *root = memmem(in->text, in->len, "<Catch", 6);

    if (!root)
        return NULL;
    return xml && xml < root ? xml : root;
}

static bool is_catch2(const struct tch_import_input *in)
{
    return document_of(in) && (memmem(in->text, in->len, "<BenchmarkResults ", 18) ||
                               memmem(in->text, in->len, "<Catch2TestRun ", 15));
}

static double number_of(const char *const *attributes, const char *name)
{
    const char *text = tch_xml_attribute(attributes, name);
    double value = NAN;

    (void)tch_parse_f64_n(text, strlen(text), &value);
    return value;
}

static void add_mean(struct catch2 *c, const char *const *attributes)
{
    struct tch_import_input *in = c->in;
    double level = number_of(attributes, "ci");

    c->r = tch_import_bench(in, c->path.data, c->path.len, false);
    tch_import_value(in, c->r, &tch_import_wall, 0, number_of(attributes, "value"));
    c->mean = tch_import_statistic(in, c->r, &tch_import_wall, "mean", c->samples, NAN);
    if (!c->mean || !(level > 0)) /* ci="0": --benchmark-no-analysis */
        return;
    c->mean->low = number_of(attributes, "lowerBound");
    c->mean->high = number_of(attributes, "upperBound");
    c->mean->level = level;
}

static void begin(void *ctx, const char *name, const char *const *attributes, uint64_t line)
{
    struct catch2 *c = ctx;
    bool named = strcmp(name, "TestCase") == 0 || strcmp(name, "Section") == 0 ||
                 strcmp(name, "BenchmarkResults") == 0;
    double samples = number_of(attributes, "samples");

    (void)line;
    if (c->depth < DEPTH)
        c->ends[c->depth] = c->path.len;
    c->depth++;
    if (c->depth > DEPTH || c->path.failed)
        return;
    if (named)
        tch_buf_addf(&c->path, "%s%s", c->path.len > 0 ? "/" : "",
                     tch_xml_attribute(attributes, "name"));
    if (strcmp(name, "BenchmarkResults") == 0) {
        c->mean = NULL;
        c->samples = samples > 0 ? (uint64_t)samples : 0;
    } else if (strcmp(name, "mean") == 0) {
        add_mean(c, attributes);
    } else if (strcmp(name, "standardDeviation") == 0 && c->mean) {
        c->mean->spread = number_of(attributes, "value");
    } else if (strcmp(name, "failed") == 0) {
        tch_import_problem(c->in, NULL, "'%.200s' failed: %.100s", c->path.data,
                           tch_xml_attribute(attributes, "message"));
    }
}

static void end(void *ctx, const char *name)
{
    struct catch2 *c = ctx;

    (void)name;
    c->depth--;
    if (c->depth < DEPTH && c->ends[c->depth] < c->path.len) {
        c->path.len = c->ends[c->depth];
        c->path.data[c->path.len] = '\0';
    }
}

static void read_catch2(struct tch_import_input *in)
{
    struct catch2 c = {.in = in};
    const struct tch_xml_handler handler = {begin, end, &c};
    const char *text = document_of(in);
    size_t len = text ? in->len - (size_t)(text - in->text) : 0;
    uint64_t before = 0;
    tacho_error why = {0};
    int status;

    tch_buf_init(&c.path, TCH_IMPORT_NAME);
    for (const char *p = in->text; text && p < text; p++)
        before += *p == '\n';
    status = tch_xml_events(text ? text : "", len, &handler, &why);
    if (status == TACHO_ENOMEM || c.path.failed)
        in->status = TACHO_ENOMEM;
    else if (status < 0)
        tch_import_problem(in, NULL, "line %llu: %s", (unsigned long long)(why.line + before),
                           why.message);
    tch_buf_release(&c.path);
}

const struct tch_import_reader tch_import_catch2 = {
    .format = {.name = "catch2",
               .tool = "Catch2",
               .is = "XML with <Catch> or <Catch2TestRun> and <BenchmarkResults>",
               .repetition = TCH_IN_PROCESS,
               .advice = "Catch2 writes no values; run it 6 times into 6 files and import them "
                         "together"},
    .is = is_catch2,
    .read = read_catch2,
};
