/*
 * Run folders: OUT/NAME/TIME-ID, and OUT/NAME/latest, which points to the newest.
 */
#ifndef TCH_RUN_FOLDER_H
#define TCH_RUN_FOLDER_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include <tacho/error.h>

enum { TCH_RUN_ID = 32 };

struct tch_folder {
    char path[PATH_MAX];  /**< absolute */
    char shown[PATH_MAX]; /**< as the user would type it */
    char id[TCH_RUN_ID];  /**< "20261115-203011-3f2a1c" */
};

/** A new id, of the time and of chance. */
void tch_folder_id(char id[TCH_RUN_ID]);

/** Makes a new one, however many are made at the same moment. 0, TACHO_EIO, TACHO_ELIMIT. */
int tch_folder_make(struct tch_folder *folder, const char *out, const char *name, tacho_error *err);

/** The path of a file in a folder. TACHO_ELIMIT when it is too long. */
int tch_folder_at(char path[PATH_MAX], const char *folder, const char *name, tacho_error *err);

/** Calls `each` with the path of everything in a folder whose name has no point in front, sorted,
   until one is not 0, which is returned. A folder that is not there is empty. */
int tch_folder_each(const char *path, int (*each)(void *ctx, const char *path, tacho_error *err),
                    void *ctx, tacho_error *err);

/** A name for a folder made of any text: what is no letter, digit, '.', '_' or '-' becomes '_'. */
void tch_folder_name(char *out, size_t size, const char *text);

/** Removes the files in a folder, and the folder. Folders in it stay, and so does it then. */
void tch_folder_remove(const char *path);

#endif
