/*
 * Reads the processes that ran before the capture began, from /proc.
 */
#ifndef TCH_COLLECT_PROC_H
#define TCH_COLLECT_PROC_H

#include "collect_records.h"

/** Reads the maps and threads of a process that ran before the capture, from /proc. */
int tch_collect_process(struct tch_collect *c, uint32_t pid, tacho_error *err);

/** Adds the mappings of a process from the text of its /proc/PID/maps. Modifies the text. */
int tch_collect_maps(struct tch_collect *c, uint32_t pid, char *text, tacho_error *err);

/** Reads /proc/PID/maps and adds its mappings where none is known. Adds nothing if the process has
    exited. */
int tch_collect_proc_maps(struct tch_collect *c, struct tch_flame_process *process,
                          tacho_error *err);

/** Reads the maps and threads of every process on the machine. */
int tch_collect_processes(struct tch_collect *c, tacho_error *err);

#endif
