/*
 * The tables of a store.
 *
 *     env         an environment in which runs were made, and its machine class
 *     vcommit     a commit; filled in from the runs that were made at it
 *     run         a run folder; its key is the SHA-256 of run.json
 *     series      a metric of a bench on a machine class with the same settings
 *     point       a run of a series: number of values, median, interval
 *     sample      all values of a point, packed by sample_pack.c
 *
 * Keys are content hashes, ids only link tables: two stores are merged by keys.
 */
#include "store_schema.h"

#include "base/fail.h"

enum { VERSION = 1 };

/* Version n is made by scripts 0 … n - 1, each of which brings a store to the next version. A
   script that was released never changes. */
static const char *const scripts[VERSION] = {
    "CREATE TABLE env(id %ID%, key TEXT NOT NULL UNIQUE, machine_class TEXT NOT NULL,"
    " doc TEXT NOT NULL);\n"
    "CREATE TABLE vcommit(id %ID%, sha TEXT NOT NULL UNIQUE, parent TEXT, tree TEXT, at TEXT);\n"
    "CREATE TABLE run(id %ID%, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " commit_id BIGINT REFERENCES vcommit(id), dirty INTEGER NOT NULL, branch TEXT NOT NULL,"
    " env_id BIGINT NOT NULL REFERENCES env(id), started_ns BIGINT NOT NULL,"
    " program TEXT NOT NULL, warnings INTEGER NOT NULL, added_ns BIGINT NOT NULL);\n"
    "CREATE INDEX run_commit ON run(commit_id);\n"
    "CREATE TABLE series(id %ID%, key TEXT NOT NULL UNIQUE, bench TEXT NOT NULL,"
    " metric TEXT NOT NULL, metric_key TEXT NOT NULL, title TEXT NOT NULL,"
    " unit INTEGER NOT NULL, source INTEGER NOT NULL, better INTEGER NOT NULL,"
    " exact INTEGER NOT NULL, scale DOUBLE PRECISION NOT NULL, machine_class TEXT NOT NULL,"
    " settings TEXT NOT NULL);\n"
    "CREATE INDEX series_bench ON series(bench, metric);\n"
    "CREATE TABLE point(series_id BIGINT NOT NULL REFERENCES series(id),"
    " run_id BIGINT NOT NULL REFERENCES run(id), n BIGINT NOT NULL,"
    " median DOUBLE PRECISION NOT NULL, low DOUBLE PRECISION, high DOUBLE PRECISION,"
    " PRIMARY KEY(series_id, run_id))%NR%;\n"
    "CREATE INDEX point_run ON point(run_id);\n"
    "CREATE TABLE sample(series_id BIGINT NOT NULL, run_id BIGINT NOT NULL,"
    " codec INTEGER NOT NULL, data %BLOB% NOT NULL, PRIMARY KEY(series_id, run_id))%NR%;\n"};

static int set_version(struct tch_db *db, int64_t version, tacho_error *err)
{
    return tch_db_query(db, "UPDATE meta SET version = $1", TCH_DB_VALUES(tch_db_int(version)),
                        NULL, NULL, err);
}

static int migrate_from(struct tch_db *db, int64_t version, tacho_error *err)
{
    for (; version < VERSION; version++) {
        int status = tch_db_script(db, scripts[version], err);

        if (status == 0)
            status = set_version(db, version + 1, err);
        if (status < 0)
            return status;
    }
    return 0;
}

/* Runs in a transaction, so that of two processes that create a store one waits for the other. */
static int migrate(struct tch_db *db, tacho_error *err)
{
    int64_t version = -1;
    int status =
        tch_db_script(db, "CREATE TABLE IF NOT EXISTS meta(version BIGINT NOT NULL);\n", err);

    if (status == 0)
        status = tch_db_number(db, "SELECT version FROM meta", NULL, 0, &version, err);
    if (status == 0 && version < 0) {
        version = 0;
        status = tch_db_script(db, "INSERT INTO meta(version) VALUES(0);\n", err);
    }
    return status < 0 ? status : migrate_from(db, version, err);
}

int tch_store_migrate(struct tch_db *db, tacho_error *err)
{
    int64_t version = 0;
    int status;

    /* A store that is up to date is only read. Without tables, reading fails. */
    if (tch_db_number(db, "SELECT version FROM meta", NULL, 0, &version, NULL) == 0 &&
        version == VERSION)
        return 0;
    if (version > VERSION)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                        "a later tacho wrote this store (version %lld, this tacho knows %d); "
                        "update tacho",
                        (long long)version, VERSION);
    status = tch_db_begin(db, err);
    if (status < 0)
        return status;
    status = migrate(db, err);
    if (status == 0)
        status = tch_db_commit(db, err);
    if (status < 0)
        tch_db_rollback(db);
    return status;
}
