/*
 * Records latencies whose statistics are known.
 *
 *     latencies fork   1 to 1000 ns here, 1001 to 2000 ns in a forked child
 *     latencies kill   3000 of 1 ms, ten more, then kills itself with SIGKILL
 */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/latency.h>

static int add(tacho_latency *list, uint64_t from, uint64_t to, uint64_t fixed_ns)
{
    for (uint64_t i = from; i <= to; i++) {
        tacho_latency_record r = {.sample_id = i, .wall_ns = fixed_ns ? fixed_ns : i};

        if (tacho_latency_add(list, &r, NULL) < 0)
            return -1;
    }
    return 0;
}

static int record_in_both(tacho_latency *list)
{
    int status = add(list, 1, 1000, 0);
    pid_t child = fork();

    if (child == 0) {
        status = add(list, 1001, 2000, 0);
        tacho_latency_free(list);
        _exit(status < 0);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
        return -1;
    tacho_latency_free(list);
    return 0;
}

int main(int argc, char **argv)
{
    tacho_latency *list;

    if (argc != 2 || tacho_latency_new(&list, NULL) < 0)
        return 1;
    if (strcmp(argv[1], "fork") == 0)
        return record_in_both(list) < 0;
    if (add(list, 1, 3010, 1000000) < 0)
        return 1;
    return raise(SIGKILL);
}
