/*
 * Reads results of other tools. This is the face of src/kit/import/.
 *
 * A file becomes a set of results, one per benchmark. Each format is one file, read_NAME.c, and one
 * row of the table in import_formats.c, which recognises a file by its content:
 *
 *     tch_import_init(&set);
 *     status = tch_import_file(&set, path, &options, &err);       any number of files
 *     status = tch_import_finish(&set, &options, &err);
 *     ... set.results, set.problems
 *     tch_import_release(&set);
 *
 * A process is a run. Repetitions inside a process are the values of that run. Several files that
 * contain the same benchmark are several runs of it.
 */
#ifndef TCH_IMPORT_H
#define TCH_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "base/intern.h"
#include "kit/result/result.h"

enum {
    TCH_IMPORT_MAX = 1 << 30,  /* bytes of a file */
    TCH_IMPORT_NAME = 1 << 16, /* bytes of the name of a benchmark */
    TCH_IMPORT_FILES = 100000, /* files of a folder */
};

/** Says whether more or less of a metric is better. */
struct tch_import_direction {
    const char *name;
    enum tch_better better;
};

/** Options of the user. Texts are borrowed; NULL: not given. */
struct tch_import_options {
    const char *format; /**< name of the format; NULL: recognise it */
    const char *name;   /**< put before the name of each benchmark */
    const char *commit;
    const struct tch_import_direction *directions;
    size_t direction_count;
};

/** A benchmark that could not be imported, or part of one, as a sentence with file and line. */
struct tch_import_problem {
    char *text;
};

/** State of a result while files are read. */
struct tch_import_state {
    size_t base; /**< runs that it had before the current file */
    size_t file; /**< number of the last file that contained it, from 1 */
};

struct tch_import_set {
    struct tch_result *results;
    struct tch_import_state *states;
    size_t count;
    size_t room;
    size_t state_room;
    struct tch_import_problem *problems;
    size_t problem_count;
    size_t files; /**< files read */
    struct tch_intern names;
};

/** A format. */
struct tch_import_format {
    const char *name;
    const char *tool;
    const char *is;         /**< how it is recognised, for people */
    const char *repetition; /**< what repeats in such a file: TCH_BY_PROCESS and so on */
    const char *advice;     /**< how to make the tool write every value, if it may not; or NULL */
};

/** Returns the i-th format, or NULL after the last. */
const struct tch_import_format *tch_import_format_at(size_t i);

void tch_import_init(struct tch_import_set *set);
void tch_import_release(struct tch_import_set *set);

/**
 * Reads a text. Benchmarks that cannot be read become problems of the set.
 *
 * @param file  name of the file, for messages and for the results
 * @param when  unix time of the file in nanoseconds, for results without a time
 * @return 0, TACHO_EPARSE if no format is recognised or the text is not one document of its
 *         format, TACHO_EINVAL if options->format is not a format, TACHO_ENOMEM
 */
int tch_import_text(struct tch_import_set *set, const char *file, const char *text, size_t len,
                    uint64_t when, const struct tch_import_options *options, tacho_error *err);

/** Reads a file, "-" for standard input, or all files of a folder and the folders in it. In a
   folder, files of no known format are left out. Returns like tch_import_text(), or TACHO_EIO. */
int tch_import_path(struct tch_import_set *set, const char *path,
                    const struct tch_import_options *options, tacho_error *err);

/** Completes all results, when all files have been read. Returns 0 or TACHO_ENOMEM. */
int tch_import_finish(struct tch_import_set *set, const struct tch_import_options *options,
                      tacho_error *err);

/**
 * Adds a set of benchmarks: the runs in a folder, at most two levels below it, the newest of each
 * benchmark only. A run folder is a set of one run. Anything else is imported, see
 * tch_import_path(). Results of run folders are complete: call tch_import_finish() only if
 * *imported is set.
 */
int tch_import_load_set(struct tch_import_set *set, const char *path,
                        const struct tch_import_options *options, bool *imported, tacho_error *err);

/** Makes the name of the folder of a benchmark, which no other benchmark has. */
void tch_import_folder_name(char *out, size_t size, const char *name);

/** Saves a result to a new run folder OUT/NAME/ID, and sets its id. `shown` receives its path.
    Returns 0, TACHO_EIO, TACHO_ELIMIT or TACHO_ENOMEM. */
int tch_import_save(struct tch_result *r, const char *out, char *shown, size_t size,
                    tacho_error *err);

#endif
