/*
 * A store of results over time. This is the face of src/kit/store/.
 *
 * A store has one row per run, one series per bench, metric, machine class and settings, and one
 * point per run and series: the median with its interval, and all values. Everything has a key that
 * follows from its content, so adding a run again, or the same run of another store, changes
 * nothing. store_schema.c describes the tables.
 */
#ifndef TCH_STORE_H
#define TCH_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/sha256.h"
#include "kit/result/result.h"

/** The store of a folder and all folders in it. */
#define TCH_STORE_FILE ".tacho/history.db"

struct tch_db;

struct tch_store {
    struct tch_db *db;
};

/** Finds the store of the working directory: .tacho/history.db there or in a folder above. Without
    one, it is beside the next .git above, or else in the working directory. Returns 0, or
    TACHO_ELIMIT. */
int tch_store_find(char path[PATH_MAX], tacho_error *err);

/**
 * Opens a store.
 *
 * @param where   a path
 * @param create  make the store, and its folder, if it is missing
 * @return 0, TACHO_EIO (system_errno is ENOENT if it is missing), TACHO_EPARSE if it is damaged,
 *         TACHO_EUNSUPPORTED if a later tacho wrote it or a library is missing, TACHO_ENOMEM
 */
int tch_store_open(struct tch_store *s, const char *where, bool create, tacho_error *err);

/** Does nothing if the store is not open. */
void tch_store_close(struct tch_store *s);

/**
 * Adds a run folder, with all or nothing of it.
 *
 * @param added  set to whether it was new
 * @return 0, TACHO_EINVAL if the run has no outcome yet, or the code of what failed
 */
int tch_store_add(struct tch_store *s, const char *folder, bool *added, tacho_error *err);

/** Adds a result. key: the SHA-256 of its run.json. */
int tch_store_add_result(struct tch_store *s, const struct tch_result *r,
                         const char key[TCH_SHA256_HEX], bool *added, tacho_error *err);

/*
 * Reading.
 */

struct tch_store_series {
    int64_t id;
    char *bench;
    struct tch_metric metric;
    char *machine_class;
    char *settings; /**< SHA-256 of variables, parameters and inputs; "" without any */
    int64_t points;
};

struct tch_store_list {
    struct tch_store_series *items;
    size_t count; /* grows by tch_array_extend() */
};

/** Selects series. NULL: all. */
struct tch_store_filter {
    const char *bench;
    const char *metric; /**< its name */
    const char *machine_class;
};

/** Lists series by bench, metric, machine class and settings. Returns 0, or the code of what
   failed. Call tch_store_list_release() in any case. */
int tch_store_list(struct tch_store *s, const struct tch_store_filter *filter,
                   struct tch_store_list *ret, tacho_error *err);
void tch_store_list_release(struct tch_store_list *list);

/** A point of a series: a run. */
struct tch_store_point {
    int64_t run;
    int64_t started_ns;        /**< since 1970 */
    char commit[TCH_VCS_HASH]; /**< "" if it is not known */
    char program[TCH_SHA256_HEX];
    int64_t environment; /**< equal numbers: equal environments */
    int dirty;           /**< 1: files differed from the commit; -1: not known */
    int64_t n;           /**< values */
    double median;
    double low; /**< interval of the median; NAN: there is none */
    double high;
};

struct tch_store_points {
    struct tch_store_point *items;
    size_t count;
    size_t room;
};

/** Reads the points of a series in the order of time. Call tch_store_points_release() in any
    case. */
int tch_store_points(struct tch_store *s, int64_t series, struct tch_store_points *ret,
                     tacho_error *err);
void tch_store_points_release(struct tch_store_points *points);

/** Adds all values of a point to `ret`. Returns 0, TACHO_EPARSE if they are damaged,
    TACHO_ENOMEM. */
int tch_store_values(struct tch_store *s, int64_t series, int64_t run, struct tch_values *ret,
                     tacho_error *err);

#endif
