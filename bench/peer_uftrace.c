/* uftrace records a program whose functions are the spans. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace_peers.h"

const char *bench_uftrace_missing(void)
{
    return access("/usr/bin/uftrace", X_OK) == 0 ? NULL : "not installed (package uftrace)";
}

int bench_uftrace_run(const char *folder, uint64_t count, int threads)
{
    char command[1024];

    snprintf(command, sizeof command,
             "uftrace record -d %s/uftrace --no-libcall --no-event %s %llu %d >/dev/null 2>&1",
             folder, UFTRACE_PROGRAM, (unsigned long long)count, threads);
    return system(command) == 0 ? 0 : -1;
}

void bench_uftrace_clean(const char *folder)
{
    char command[256];

    snprintf(command, sizeof command, "rm -rf %s/uftrace", folder);
    if (system(command) != 0)
        perror("bench_trace: cannot remove the data of uftrace");
}
