/* A table of fixed size, because a signal handler reads it. Each row is free, being changed, or
   valid; only valid rows are read. */
#include "temp_files.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROWS = 16 };

enum { FREE, CHANGING, VALID };

static struct {
    atomic_int state;
    int folder;
    pid_t pid; /* a child of fork() has its parent's table, but not its files */
    char name[NAME_MAX + 1];
} rows[ROWS];

void tch_temp_files_add(int folder, const char *name)
{
    for (size_t i = 0; i < ROWS; i++) {
        int state = FREE;

        if (!atomic_compare_exchange_strong(&rows[i].state, &state, CHANGING))
            continue;
        rows[i].folder = folder;
        rows[i].pid = getpid();
        snprintf(rows[i].name, sizeof rows[i].name, "%s", name);
        atomic_store(&rows[i].state, VALID);
        return;
    }
}

void tch_temp_files_forget(const char *name)
{
    for (size_t i = 0; i < ROWS; i++)
        if (atomic_load(&rows[i].state) == VALID && strcmp(rows[i].name, name) == 0)
            atomic_store(&rows[i].state, FREE);
}

void tch_temp_files_remove(void)
{
    for (size_t i = 0; i < ROWS; i++)
        if (atomic_load(&rows[i].state) == VALID && rows[i].pid == getpid())
            unlinkat(rows[i].folder, rows[i].name, 0);
}
