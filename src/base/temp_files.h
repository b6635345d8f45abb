/*
 * The temporary files of the replacements that are open (struct tch_replace), so that the command
 * can remove them when a signal ends it.
 */
#ifndef TCH_TEMP_FILES_H
#define TCH_TEMP_FILES_H

/** Notes a temporary file that was created in the folder of a descriptor. Notes nothing if very
    many are open. */
void tch_temp_files_add(int folder, const char *name);

/** Forgets a file that has another name now or was removed. */
void tch_temp_files_forget(const char *name);

/** Removes all temporary files that this process has noted. Signal-safe. */
void tch_temp_files_remove(void);

#endif
