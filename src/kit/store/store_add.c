/* Adds a result: its environment and commit, the run, and a point for each of its metrics. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/file.h"
#include "db.h"
#include "kit/file/found_file.h"
#include "kit/result/series.h"
#include "sample_pack.h"
#include "store.h"

enum { SAMPLES_MAX = 1 << 28, DOCUMENT_MAX = 1 << 26 };

struct adding {
    struct tch_store *store;
    const struct tch_result *r;
    int64_t run;
    char settings[TCH_SHA256_HEX];
};

/* Inserts a row that another run may have inserted before, and returns its id. */
static int intern(struct adding *a, const char *insert, const struct tch_db_value *values,
                  size_t count, const char *find, int64_t *id, tacho_error *err)
{
    int status = tch_db_query(a->store->db, insert, values, count, NULL, NULL, err);

    *id = 0;
    if (status == 0)
        status = tch_db_number(a->store->db, find, values, 1, id, err);
    return status;
}

static int add_environment(struct adding *a, int64_t *id, tacho_error *err)
{
    const struct tch_result *r = a->r;
    const char *class = r->machine_class ? r->machine_class : "";
    struct tch_buf b;
    char key[TCH_SHA256_HEX];

    /* The document may lack what the class was given by hand. */
    tch_buf_init(&b, DOCUMENT_MAX);
    tch_buf_add(&b, class, strlen(class) + 1);
    tch_buf_adds(&b, r->environment_hash);
    tch_sha256_hex(key, b.data, b.len);
    tch_buf_release(&b);
    return intern(a,
                  "INSERT INTO env(key, machine_class, doc) VALUES($1, $2, $3)"
                  " ON CONFLICT DO NOTHING",
                  TCH_DB_VALUES(tch_db_text(key), tch_db_text(class),
                                tch_db_text(r->environment ? r->environment : "null")),
                  "SELECT id FROM env WHERE key = $1", id, err);
}

/* An imported result may know its commit only. */
static int add_commit(struct adding *a, struct tch_db_value *id, tacho_error *err)
{
    const struct tch_vcs *vcs = &a->r->vcs;
    const char *sha = vcs->sha[0] ? vcs->sha : a->r->commit;
    int status;

    *id = tch_db_text(NULL);
    if (!*sha)
        return 0;
    status = intern(a,
                    "INSERT INTO vcommit(sha, parent, tree, at) VALUES($1, $2, $3, $4)"
                    " ON CONFLICT DO NOTHING",
                    TCH_DB_VALUES(tch_db_text(sha), tch_db_text(vcs->parent),
                                  tch_db_text(vcs->tree), tch_db_text(vcs->committed_at)),
                    "SELECT id FROM vcommit WHERE sha = $1", &id->i, err);
    id->kind = TCH_DB_INT;
    return status;
}

/* Adds the row of the run. Sets *added to false if it is there already. */
static int add_run(struct adding *a, const char *key, bool *added, tacho_error *err)
{
    const struct tch_result *r = a->r;
    struct tch_db_value commit;
    int64_t environment;
    int64_t known = 0;
    int status = tch_db_number(a->store->db, "SELECT id FROM run WHERE key = $1",
                               TCH_DB_VALUES(tch_db_text(key)), &known, err);

    *added = status == 0 && known == 0;
    if (!*added)
        return status;
    status = add_environment(a, &environment, err);
    if (status == 0)
        status = add_commit(a, &commit, err);
    if (status < 0)
        return status;
    return intern(
        a,
        "INSERT INTO run(key, name, commit_id, dirty, branch, env_id, started_ns,"
        " program, warnings, added_ns) VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        TCH_DB_VALUES(tch_db_text(key), tch_db_text(r->name ? r->name : ""), commit,
                      tch_db_int(r->vcs.dirty), tch_db_text(r->vcs.branch), tch_db_int(environment),
                      tch_db_int((int64_t)r->started_unix_ns), tch_db_text(r->program_sha256),
                      tch_db_int((int64_t)r->warnings.count), tch_db_int((int64_t)tch_wall_ns())),
        "SELECT id FROM run WHERE key = $1", &a->run, err);
}

static int add_series(struct adding *a, const struct tch_metric *m, int64_t *id, tacho_error *err)
{
    const struct tch_result *r = a->r;
    const char *class = r->machine_class ? r->machine_class : "";
    struct tch_buf b;
    char key[TCH_SHA256_HEX];
    int status;

    /* Runs whose values are equal here are points of one series. */
    tch_buf_init(&b, DOCUMENT_MAX);
    tch_buf_add(&b, r->name, strlen(r->name) + 1);
    tch_buf_add(&b, m->name, strlen(m->name) + 1);
    tch_buf_addf(&b, "%d %d", (int)m->unit, (int)m->source);
    tch_buf_add(&b, class, strlen(class) + 1);
    tch_buf_adds(&b, a->settings);
    if (b.failed) {
        tch_buf_release(&b);
        return tch_fail_memory(err);
    }
    tch_sha256_hex(key, b.data, b.len);
    status =
        intern(a,
               "INSERT INTO series(key, bench, metric, metric_key, title, unit, source,"
               " better, exact, scale, machine_class, settings)"
               " VALUES($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
               " ON CONFLICT DO NOTHING",
               TCH_DB_VALUES(tch_db_text(key), tch_db_text(r->name), tch_db_text(m->name),
                             tch_db_text(m->key), tch_db_text(m->title), tch_db_int(m->unit),
                             tch_db_int(m->source), tch_db_int(m->better), tch_db_int(m->exact),
                             tch_db_real(m->scale), tch_db_text(class), tch_db_text(a->settings)),
               "SELECT id FROM series WHERE key = $1", id, err);
    tch_buf_release(&b);
    return status;
}

static int add_samples(struct adding *a, int64_t series, const struct tch_series *values,
                       tacho_error *err)
{
    struct tch_buf b;
    enum tch_sample_codec codec;
    int status;

    tch_buf_init(&b, SAMPLES_MAX);
    codec = tch_sample_pack(values->value, values->count, &b);
    status = b.failed ? tch_fail_memory(err)
                      : tch_db_query(a->store->db,
                                     "INSERT INTO sample(series_id, run_id, codec, data)"
                                     " VALUES($1, $2, $3, $4)",
                                     TCH_DB_VALUES(tch_db_int(series), tch_db_int(a->run),
                                                   tch_db_int(codec), tch_db_bytes(b.data, b.len)),
                                     NULL, NULL, err);
    tch_buf_release(&b);
    return status;
}

/* Adds the point of a metric with the values of all runs that succeeded. */
static int add_point(struct adding *a, const struct tch_metric *m, tacho_error *err)
{
    struct tch_series values = {0};
    struct tch_summary sum = {0};
    int64_t series;
    int status = tch_series_of(a->r, m, 0.5, &values, err);

    if (status == 0)
        status = tch_summary_of(values.value, values.count, TCH_RESULT_ALPHA, &sum, err);
    if (status < 0 || sum.n == 0)
        goto out;
    status = add_series(a, m, &series, err);
    if (status == 0)
        status = tch_db_query(a->store->db,
                              "INSERT INTO point(series_id, run_id, n, median, low, high)"
                              " VALUES($1, $2, $3, $4, $5, $6)",
                              TCH_DB_VALUES(tch_db_int(series), tch_db_int(a->run),
                                            tch_db_int((int64_t)sum.n), tch_db_real(sum.median),
                                            tch_db_real(sum.level > 0 ? sum.low : NAN),
                                            tch_db_real(sum.level > 0 ? sum.high : NAN)),
                              NULL, NULL, err);
    if (status == 0)
        status = add_samples(a, series, &values, err);
out:
    tch_series_release(&values);
    return status;
}

static int add_all(struct adding *a, const char *key, bool *added, tacho_error *err)
{
    struct tch_metric m;
    size_t at = 0;
    int status = add_run(a, key, added, err);

    while (status == 0 && *added && tch_result_next_metric(a->r, &at, &m))
        status = add_point(a, &m, err);
    return status;
}

int tch_store_add_result(struct tch_store *s, const struct tch_result *r,
                         const char key[TCH_SHA256_HEX], bool *added, tacho_error *err)
{
    struct adding a = {.store = s, .r = r};
    struct tch_buf settings;
    int status;

    *added = false;
    if (!r->ended || strcmp(r->state, "running") == 0)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the run has no outcome yet; add it when it has ended");
    tch_buf_init(&settings, DOCUMENT_MAX);
    status = tch_result_settings(r, &settings, err);
    if (status == 0) {
        tch_sha256_hex(a.settings, settings.data, settings.len);
        status = tch_db_begin(s->db, err);
    }
    tch_buf_release(&settings);
    if (status < 0)
        return status;
    status = add_all(&a, key, added, err);
    if (status == 0)
        status = tch_db_commit(s->db, err);
    if (status < 0) {
        tch_db_rollback(s->db);
        *added = false;
    }
    return status;
}

int tch_store_add(struct tch_store *s, const char *folder, bool *added, tacho_error *err)
{
    struct tch_result r;
    struct tch_buf text;
    char key[TCH_SHA256_HEX];
    int status = tch_result_init(&r, err);

    *added = false;
    tch_buf_init(&text, TCH_RESULT_MAX);
    if (status == 0)
        status = tch_found_read(folder, "run.json", TCH_RESULT_MAX, &text, err);
    if (status == 0) {
        tch_sha256_hex(key, text.data, text.len);
        status = tch_result_load(&r, folder, err);
    }
    if (status == 0)
        status = tch_store_add_result(s, &r, key, added, err);
    tch_buf_release(&text);
    tch_result_release(&r);
    return status;
}
