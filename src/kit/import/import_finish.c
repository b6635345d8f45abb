/* Completes imported results, and saves them to run folders. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/version.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/sha256.h"
#include "import_read.h"
#include "kit/result/run_folder.h"

enum { NAME_MOST = 80, HASH_DIGITS = 8 };

static int set_text(char **slot, const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        return TACHO_ENOMEM;
    free(*slot);
    *slot = copy;
    return 0;
}

static int name_result(struct tch_result *r, const char *prefix)
{
    struct tch_buf b;
    int status = TACHO_ENOMEM;

    tch_buf_init(&b, 2 * TCH_IMPORT_NAME);
    tch_buf_addf(&b, "%s/%s", prefix, r->name);
    if (!b.failed)
        status = set_text(&r->name, b.data);
    tch_buf_release(&b);
    return status;
}

static void direct_metrics(struct tch_result *r, const struct tch_import_options *options)
{
    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        for (size_t k = 0; k < options->direction_count; k++)
            if (strcmp(options->directions[k].name, r->columns[i].metric.name) == 0) {
                r->columns[i].metric.better = options->directions[k].better;
                r->columns[i].metric.gated = true;
            }
}

/* Returns how to make the tool write every value, if a metric that is judged is a statistic. */
static const char *advice_for(const struct tch_result *r)
{
    bool aggregate = r->columns[TCH_WALL].aggregate;

    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        aggregate |= r->columns[i].aggregate != NULL;
    for (size_t i = 0; aggregate && tch_import_format_at(i); i++)
        if (strcmp(tch_import_format_at(i)->name, r->imported.format) == 0)
            return tch_import_format_at(i)->advice;
    return NULL;
}

static int finish(struct tch_result *r, const struct tch_import_options *options, tacho_error *err)
{
    struct tch_result_end end = {.state = "complete",
                                 .stopped = "runs",
                                 .ended_unix_ns = r->started_unix_ns,
                                 .tacho_cpu_ns = NAN,
                                 .polls_cpu_ns = NAN,
                                 .server = {.ready_s = NAN, .energy_j = NAN},
                                 .power = {.status = "unavailable"}};
    const char *advice = advice_for(r);
    struct tch_buf document;
    int status;

    if ((options->name && name_result(r, options->name) < 0) ||
        (advice && set_text(&r->imported.note, advice) < 0) ||
        set_text(&r->tacho_version, tacho_version()) < 0)
        return tch_fail_memory(err);
    if (options->commit)
        snprintf(r->commit, sizeof r->commit, "%.64s", options->commit);
    direct_metrics(r, options);
    snprintf(r->schema, sizeof r->schema, "%s", TCH_RESULT_SCHEMA);
    tch_utc_text(r->started_at, r->started_unix_ns);
    r->plan.runs = r->run_count;
    r->plan.alpha = r->alpha;
    snprintf(end.power.why_not, sizeof end.power.why_not, "another tool measured this result");
    tch_buf_init(&document, TCH_RESULT_MAX);
    status = tch_result_reduce_values(r, err);
    if (status == 0)
        status = tch_result_end(r, &end, err);
    if (status == 0)
        status = tch_result_fingerprint(r, &document, r->fingerprint, err);
    tch_buf_release(&document);
    return status;
}

int tch_import_finish(struct tch_import_set *set, const struct tch_import_options *options,
                      tacho_error *err)
{
    int status = 0;
    size_t kept = 0;

    /* A benchmark whose values were all refused has a problem, and no result. */
    for (size_t i = 0; i < set->count; i++) {
        struct tch_result *r = &set->results[i];

        if (r->run_count == 0 || !r->imported.format)
            tch_result_release(r);
        else
            set->results[kept++] = *r;
    }
    set->count = kept;
    for (size_t i = 0; i < set->count && status == 0; i++)
        status = finish(&set->results[i], options, err);
    return status;
}

void tch_import_folder_name(char *out, size_t size, const char *name)
{
    char folder[NAME_MOST];
    char hex[TCH_SHA256_HEX];

    tch_folder_name(folder, sizeof folder, name);
    tch_sha256_hex(hex, name, strlen(name));
    /* A name that the folder cannot show gets a hash, so that no two share one. */
    if (strcmp(folder, name) == 0)
        snprintf(out, size, "%s", folder);
    else
        snprintf(out, size, "%.*s-%.*s", NAME_MOST - HASH_DIGITS - 2, folder, HASH_DIGITS, hex);
}

int tch_import_save(struct tch_result *r, const char *out, char *shown, size_t size,
                    tacho_error *err)
{
    struct tch_folder folder;
    char name[NAME_MOST + 8];
    int status;

    tch_import_folder_name(name, sizeof name, r->name);
    status = tch_folder_make(&folder, out, name, true, err);
    if (status < 0)
        return status;
    snprintf(r->id, sizeof r->id, "%s", folder.id);
    snprintf(shown, size, "%s", folder.shown);
    return tch_result_save(r, folder.path, err);
}
