/* Starts, polls and stops the server that the commands use. */
#include "run_meter.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <tacho/power.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "kit/result/run_folder.h"
#include "kit/text/regex_limit.h"
#include "process/limited_child.h"

enum { READY_NAP_MS = 20, LOG_MAX = 16 << 20, SEARCH_SECONDS = 5, SEARCH_MEMORY = 256 << 20 };

static const char server_source[] = "server:share-of-cpu-time:estimated";

#define POWER_ROW_NS 100000000u

static void nap_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static bool port_answers(uint16_t port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET,
        .sin_port = htons(port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool answers = fd >= 0 && connect(fd, (const struct sockaddr *)&at, sizeof at) == 0;

    if (fd >= 0)
        close(fd);
    return answers;
}

struct log_search {
    const char *text;
    const regex_t *regex;
};

static void search_log(int fd, void *ctx)
{
    const struct log_search *search = ctx;

    int match = tch_regex_search(search->regex, search->text, 0, NULL, 0);

    if (match < 0 || (match > 0 && tch_write_all(fd, "a pipe", "1", 1, NULL) < 0))
        _exit(1);
}

/* Returns whether a line of the log matches, or a negative code. A child process searches;
   metric_rule_child.c explains why. */
static int log_matches(const struct tch_run_server *s, const regex_t *regex,
                       const volatile sig_atomic_t *stop, tacho_error *err)
{
    struct tch_child_limits limits = {
        .cpu_seconds = SEARCH_SECONDS, .memory_bytes = SEARCH_MEMORY, .stop = stop};
    struct tch_buf text;
    struct tch_buf answer;
    int status = 0;

    tch_buf_init(&text, LOG_MAX);
    tch_buf_init(&answer, 1);
    if (lseek(s->log_fd, 0, SEEK_SET) == 0 &&
        tch_file_read_fd(s->log_fd, "server.log", LOG_MAX, &text, NULL) == 0 && text.len > 0)
        status = tch_child_call(&limits, search_log, &(struct log_search){text.data, regex},
                                &answer, err);
    if (status == 0)
        status = answer.len > 0;
    tch_buf_release(&answer);
    tch_buf_release(&text);
    return status;
}

int tch_run_server_start(struct tch_run_server *s, const struct tch_run_plan *plan,
                         const char *folder, tacho_error *err)
{
    const char *argv[] = {"sh", "-c", plan->server, NULL};
    struct tch_spawn spec = {
        .argv = argv, .extra_env = plan->env, .cwd = plan->cwd, .new_group = true};
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, "server.log", err);

    *s = (struct tch_run_server){.log_fd = -1, .keeper = TCH_NO_KEEPER};
    if (status < 0)
        return status;
    s->log_fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (s->log_fd < 0)
        return tch_fail_errno(err, errno, "cannot make '%s'", path);
    status = tch_folder_at(path, folder, "server-memory.csv", err);
    if (status == 0)
        status = tch_csv_open_memory(path, plan->columns, TACHO_CSV_APPEND, &s->memory, err);
    if (status < 0)
        return status;
    spec.io[0].kind = TCH_IO_NULL;
    spec.io[1] = spec.io[2] = (struct tch_io){.kind = TCH_IO_FD, .fd = s->log_fd};
    return tch_keep(&s->keeper, &spec, err);
}

/* Waits until the port answers, or, if that is 0, until the log matches. Returns 1 if the server is
   ready, 0 if it has exited, *stop was set or the time is up. */
static int wait_ready(const struct tch_run_server *s, uint16_t port, const regex_t *regex,
                      uint64_t limit_ns, const volatile sig_atomic_t *stop, tacho_error *err)
{
    uint64_t begin = tch_now_ns();
    int ready = 0;

    while (ready == 0 && !(stop && *stop) && !tch_keeper_ended(&s->keeper) &&
           tch_now_ns() - begin < limit_ns) {
        ready = port > 0 ? port_answers(port) : log_matches(s, regex, stop, err);
        if (ready == 0)
            nap_ms(READY_NAP_MS);
    }
    return ready;
}

int tch_run_server_await(struct tch_run_server *s, const struct tch_run_plan *plan,
                         const volatile sig_atomic_t *stop, tacho_error *err)
{
    const char *ready = plan->ready;
    uint64_t limit_ns = plan->ready_timeout_ns > 0 ? plan->ready_timeout_ns : TCH_READY_TIMEOUT_NS;
    uint64_t begin = tch_now_ns();
    uint64_t port = 0;
    bool by_port = tch_parse_u64(ready, 65535, &port) == 0 && port > 0;
    regex_t regex;
    tacho_error why;
    int status;

    if (!by_port && tch_regex_compile(&regex, ready, REG_NOSUB | REG_NEWLINE, &why) < 0)
        return tch_fail(err, TACHO_EINVAL, 0, "'%.80s' is neither a port nor an expression: %s",
                        ready, why.message);
    status = wait_ready(s, (uint16_t)port, &regex, limit_ns, stop, &why);
    if (!by_port)
        regfree(&regex);
    s->ready_s = (double)(tch_now_ns() - begin) / 1e9;
    if (status <= 0 && stop && *stop)
        return 1;
    if (status < 0)
        return tch_fail(err, why.code, 0,
                        "searching server.log with '%.60s' failed: %s; write a simpler expression "
                        "for --ready",
                        ready, why.message);
    if (status == 0 && tch_keeper_ended(&s->keeper))
        return tch_fail(err, TACHO_EIO, 0,
                        "the server exited before it was ready; see server.log in the run folder");
    if (status == 0)
        return tch_fail(err, TACHO_ELIMIT, 0,
                        "the server was not ready ('%s') after %g s; see server.log in the run "
                        "folder, or give it more time with --ready-timeout",
                        ready, (double)limit_ns / 1e9);
    status = tacho_tree_open(s->keeper.pid, &s->tree, err);
    if (status == 0) {
        (void)tch_run_server_poll(s);
        s->begin_cpu_ns = s->last.cpu_ns;
    }
    return status;
}

int tch_run_server_poll(struct tch_run_server *s)
{
    tacho_tree_sample seen = TACHO_TREE_SAMPLE_INIT;
    tacho_csv_memory row = {0};

    if (!s->tree || tacho_tree_poll(s->tree, &seen, NULL) < 0)
        return 0;
    if (seen.processes == 0 || tch_keeper_ended(&s->keeper))
        return 0;
    s->last = seen;
    if (seen.rss_bytes > s->peak_rss_bytes)
        s->peak_rss_bytes = seen.rss_bytes;
    if (seen.rss_bytes > s->run.peak_rss_bytes)
        s->run.peak_rss_bytes = seen.rss_bytes;
    row.timestamp_us = seen.timestamp_us;
    row.peak_rss_bytes = seen.rss_bytes;
    (void)tacho_csv_add_memory(s->memory, &row, NULL);
    return 1;
}

static uint64_t machine_busy_ns(void)
{
    uint64_t busy;

    return tacho_cpu_busy(&busy, NULL) == 0 ? busy : 0;
}

static void set_mark(struct tch_run_server *s, double joules)
{
    s->mark.ns = tch_now_ns();
    s->mark.cpu_ns = s->last.cpu_ns;
    s->mark.busy_ns = machine_busy_ns();
    s->mark.joules = isnan(joules) ? 0 : joules; /* nothing was added up yet */
}

int tch_run_server_power_begin(struct tch_run_server *s, const char *folder, double joules,
                               tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, "server-power.csv", err);

    if (status == 0)
        status = tacho_csv_open(path, TACHO_CSV_POWER, TACHO_CSV_APPEND, &s->power, err);
    set_mark(s, joules);
    return status;
}

void tch_run_server_power(struct tch_run_server *s, double joules, bool last)
{
    tacho_csv_power row = {.source = server_source, .source_len = strlen(server_source)};
    double seconds = (double)(tch_now_ns() - s->mark.ns) / 1e9;
    double share;

    if (!s->power || isnan(joules) || seconds <= 0 || (seconds < POWER_ROW_NS / 1e9 && !last))
        return;
    share = tacho_power_share(joules - s->mark.joules, 0, seconds, s->last.cpu_ns - s->mark.cpu_ns,
                              machine_busy_ns() - s->mark.busy_ns);
    s->joules += share;
    row.timestamp_us = tch_wall_ns() / 1000;
    row.watts = share / seconds;
    row.joules = s->joules;
    (void)tacho_csv_add_power(s->power, &row, NULL);
    set_mark(s, joules);
}

void tch_run_server_begin_run(struct tch_run_server *s, double joules, uint64_t dropped)
{
    s->run.peak_rss_bytes = 0;
    (void)tch_run_server_poll(s);
    tch_run_server_power(s, joules, true);
    s->run.cpu_ns = s->last.cpu_ns;
    s->run.joules = s->joules;
    s->run.dropped = dropped;
}

bool tch_run_server_end_run(struct tch_run_server *s, double joules, uint64_t dropped,
                            double field[TCH_FIELDS])
{
    bool alive = tch_run_server_poll(s) > 0;

    tch_run_server_power(s, joules, true);
    if (!alive)
        return false;
    field[TCH_SERVER_CPU] = (double)(s->last.cpu_ns - s->run.cpu_ns);
    field[TCH_SERVER_RSS] = (double)s->run.peak_rss_bytes;
    /* The share of a short run is not known: the busy time of the CPUs is counted in 10 ms. */
    if (s->power && !isnan(joules) && dropped == s->run.dropped &&
        field[TCH_WALL] >= (double)POWER_ROW_NS)
        field[TCH_SERVER_ENERGY] = s->joules - s->run.joules;
    return true;
}

static void close_csv(tacho_csv *csv)
{
    if (csv && tacho_csv_close(csv, NULL) < 0)
        return; /* an error is ignored: the rows are only for the chart */
}

void tch_run_server_stop(struct tch_run_server *s)
{
    tch_keeper_stop(&s->keeper);
    tacho_tree_close(s->tree);
    close_csv(s->memory);
    close_csv(s->power);
    if (s->log_fd >= 0)
        close(s->log_fd);
    *s = (struct tch_run_server){.log_fd = -1, .keeper = TCH_NO_KEEPER};
}
