/*
 * Run folders: OUT/NAME/TIME-ID, and OUT/NAME/latest, which points to the newest.
 */
#ifndef TCH_RUN_FOLDER_H
#define TCH_RUN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

#include "result.h"

/** The page that compares the commands of one run. */
#define TCH_COMPARISON_FILE "compare.html"

struct tch_folder {
    char path[PATH_MAX];  /**< absolute */
    char shown[PATH_MAX]; /**< path as the user would type it */
    char id[TCH_RUN_ID];  /**< "20261115-203011-3f2a1c" */
};

/** Makes a new id from the time and a random number. */
void tch_folder_id(char id[TCH_RUN_ID]);

/** Creates a new folder, even if other processes do the same at the same moment, and points the
    link `latest` beside it to it if that is asked for. Returns 0, TACHO_EIO or TACHO_ELIMIT. */
int tch_folder_make(struct tch_folder *folder, const char *out, const char *name, bool latest,
                    tacho_error *err);

/** Joins the path of a folder and a name. Returns TACHO_ELIMIT if the result is too long. */
int tch_folder_at(char path[PATH_MAX], const char *folder, const char *name, tacho_error *err);

/** The names that tch_folder_name() does not change, for messages. */
#define TCH_FOLDER_NAMES "letters, digits, '.', '_' and '-', and no '.' at the beginning"

/** Makes a folder name from any text: replaces all but letters, digits, '.', '_' and '-' by '_',
   and leaves out '.' at the beginning, which would hide the folder. */
void tch_folder_name(char *out, size_t size, const char *text);

/** Names a folder after a command: after the file name of its program, or, if `line` is a shell
    line, after the line from there on. */
void tch_folder_name_command(char *out, size_t size, const char *program, const char *line);

#endif
