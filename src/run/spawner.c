/* The small process that spawns. */
#include "spawner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

enum { ENV_FILES = 3, ENV_EXTRA = ENV_FILES + 2, RUN_FOLDER_MAX = PATH_MAX + 32 };

/* What both processes see. */
struct shared {
    _Atomic pid_t child;
    _Atomic uint64_t cpu_ns;
};

struct tch_spawner {
    pid_t pid;
    int fd; /* our end of the socket */
    struct shared *shared;
};

struct request {
    size_t count;
    struct tch_job jobs[TCH_JOBS_MAX];
};

struct reply {
    int code;
    tacho_error err;
    uint64_t start_ns;
    uint64_t wall_ns;
    int status;
    bool timed_out;
    bool left_running;
    struct rusage usage;
};

/*
 * The small process. Its state is global, as signal handlers need it.
 */

static struct shared *mine;
static volatile sig_atomic_t child_pid;
static volatile sig_atomic_t term_sent;
static volatile sig_atomic_t timed_out;
static volatile sig_atomic_t aborted; /* for good: nothing is run after that */

static void arm(uint64_t first_ns)
{
    struct itimerval t = {
        .it_value = {.tv_sec = (time_t)(first_ns / 1000000000u),
                     .tv_usec = (suseconds_t)(first_ns % 1000000000u / 1000)},
        .it_interval = {.tv_sec = TCH_RUN_GRACE_NS / 1000000000u},
    };

    if (first_ns > 0 && first_ns < 1000)
        t.it_value.tv_usec = 1; /* 0 would be "never" */
    setitimer(ITIMER_REAL, &t, NULL);
}

/* TERM the first time, KILL from then on; again each second until it is gone. */
static void stop_child(void)
{
    int sig = term_sent ? SIGKILL : SIGTERM;

    if (child_pid <= 0)
        return;
    kill(-child_pid, sig);
    if (sig == SIGKILL)
        kill(child_pid, sig); /* should it have left its group */
    term_sent = 1;
}

static void on_alarm(int sig)
{
    (void)sig;
    if (!aborted)
        timed_out = 1;
    stop_child();
}

static void on_term(int sig)
{
    (void)sig;
    aborted = 1;
    stop_child();
    if (child_pid > 0)
        arm(TCH_RUN_GRACE_NS);
}

static void handle(int sig, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    sigfillset(&action.sa_mask);
    sigaction(sig, &action, NULL);
}

/* The folder of each target's last run, when nothing was put there: the next run gets it under its
   own name. Making and removing one each time would cost several times as much. */
static char (*empty_folder)[RUN_FOLDER_MAX];
static size_t target_count;

static void folder_path(char path[RUN_FOLDER_MAX], const char *folder, uint64_t run)
{
    snprintf(path, RUN_FOLDER_MAX, "%s/iter/%04llu", folder, (unsigned long long)run);
}

/* Its time is set to 1970: it is another once a name has come into it. */
static int make_folder(const struct tch_target *target, size_t index, uint64_t run,
                       tacho_error *err)
{
    static const struct timespec long_ago[2];
    char path[RUN_FOLDER_MAX];

    if (!target->folder)
        return 0;
    folder_path(path, target->folder, run);
    if (empty_folder[index][0] && rename(empty_folder[index], path) == 0) {
        empty_folder[index][0] = '\0';
        return 0;
    }
    if ((mkdir(path, 0777) < 0 && errno != EEXIST) || utimensat(AT_FDCWD, path, long_ago, 0) < 0)
        return tch_fail_errno(err, errno, "cannot make the folder '%s'", path);
    return 0;
}

static void look_into_folder(const struct tch_target *target, size_t index, uint64_t run)
{
    char path[RUN_FOLDER_MAX];
    struct stat st;

    if (!target->folder)
        return;
    folder_path(path, target->folder, run);
    if (stat(path, &st) == 0 && st.st_mtim.tv_sec == 0 && st.st_mtim.tv_nsec == 0)
        memcpy(empty_folder[index], path, sizeof path);
}

static void remove_empty_folders(void)
{
    for (size_t i = 0; i < target_count; i++)
        if (empty_folder[i][0])
            rmdir(empty_folder[i]);
}

/* What the program is told, unless the user has set it. */
struct run_env {
    char text[ENV_EXTRA][RUN_FOLDER_MAX];
    const char *list[ENV_EXTRA + 1];
};

static void fill_env(struct run_env *env, const struct tch_target *target, uint64_t run)
{
    static const char *const facts[] = {"TACHO_PROFILE_ENV_HASH", "TACHO_PROFILE_COMMIT_SHA"};
    static const char *const names[ENV_FILES][2] = {
        {"TACHO_RUN_DIR", ""},
        {"TACHO_PROFILE_JSONL", "/profile.jsonl"},
        {"TACHO_TRACE_OUT", "/trace.tacho"},
    };
    size_t n = 0;

    for (int i = 0; target->folder && i < ENV_FILES; i++) {
        if (i > 0 && getenv(names[i][0]))
            continue;
        snprintf(env->text[i], sizeof env->text[i], "%s=%s/iter/%04llu%s", names[i][0],
                 target->folder, (unsigned long long)run, names[i][1]);
        env->list[n++] = env->text[i];
    }
    for (int i = 0; i < 2; i++) {
        const char *value = i == 0 ? target->env_hash : target->commit;

        if (!value || !value[0] || getenv(facts[i]))
            continue;
        snprintf(env->text[ENV_FILES + i], sizeof env->text[0], "%s=%s", facts[i], value);
        env->list[n++] = env->text[ENV_FILES + i];
    }
    env->list[n] = NULL;
}

static void wait_for_child(struct reply *r, const struct tch_run_plan *plan)
{
    pid_t got;

    if (aborted)
        on_term(SIGTERM);
    else if (plan->timeout_ns > 0)
        arm(plan->timeout_ns);
    do
        got = wait4(child_pid, &r->status, 0, &r->usage);
    while (got < 0 && errno == EINTR);
    r->wall_ns = tch_now_ns() - r->start_ns;
    if (got < 0)
        r->code = tch_fail_errno(&r->err, errno, "cannot wait for process %ld", (long)child_pid);
    if (plan->timeout_ns > 0 || aborted)
        setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    r->timed_out = timed_out && !aborted;
}

/* Orphans of the command are our children now. Those that have ended are reaped. */
static bool any_left(void)
{
    pid_t got;

    do
        got = waitpid(-1, NULL, WNOHANG);
    while (got > 0);
    return got == 0;
}

/* Several processes it may have been, the last of which ended just now: it is asked once more. */
static bool left_running(const struct reply *r)
{
    if (r->timed_out)
        kill(-child_pid, SIGKILL); /* what ignored the TERM that ended the first of them */
    return any_left();
}

/* What the run before said on standard error. */
static void clear_errors(int fd)
{
    if (fd >= 0 && lseek(fd, 0, SEEK_END) > 0 && ftruncate(fd, 0) < 0)
        return; /* then the last words of a failed run are more than its own */
}

static void run_one(struct reply *r, const struct tch_run_plan *plan,
                    const struct tch_target *target, size_t index, uint64_t run)
{
    static struct run_env env;
    struct tch_io out = {.kind = plan->output, .path = plan->output_path};
    struct tch_spawn spec = {
        .argv = target->command->argv,
        .path = target->command->path,
        .extra_env = env.list,
        .io = {{.kind = plan->input ? TCH_IO_READ : TCH_IO_NULL, .path = plan->input}, out, out},
        .new_group = true,
    };
    struct tch_spawn_ready ready;
    pid_t pid = 0;

    if (target->out_fd >= 0)
        spec.io[1] = (struct tch_io){.kind = TCH_IO_FD, .fd = target->out_fd};
    if (target->err_fd >= 0)
        spec.io[2] = (struct tch_io){.kind = TCH_IO_FD, .fd = target->err_fd};
    fill_env(&env, target, run);
    clear_errors(target->err_fd);
    term_sent = timed_out = 0;
    r->code = make_folder(target, index, run, &r->err);
    if (r->code < 0)
        return;
    r->code = tch_spawn_prepare(&ready, &spec, &r->err);
    if (r->code == 0) {
        r->start_ns = tch_now_ns();
        r->code = tch_spawn_start(&ready, &pid, &r->err);
    }
    if (r->code == 0) {
        child_pid = pid;
        atomic_store(&mine->child, pid);
        wait_for_child(r, plan);
        atomic_store(&mine->child, 0);
        r->left_running = left_running(r);
        child_pid = 0;
    }
    tch_spawn_release(&ready);
    look_into_folder(target, index, run);
}

/* All that is the same for every run is done to this process, and inherited. */
static int set_up(const struct tch_run_plan *plan, tacho_error *err)
{
    setpgid(0, 0); /* Ctrl-C is for our parent, who tells us */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "tacho-spawner");
    target_count = plan->command_count;
    empty_folder = calloc(target_count, sizeof *empty_folder);
    if (!empty_folder)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
    handle(SIGALRM, on_alarm);
    handle(SIGTERM, on_term);
    signal(SIGPIPE, SIG_IGN);
    for (const char *const *e = plan->env; e && *e; e++)
        if (putenv((char *)*e) != 0)
            return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the environment");
    if (plan->cwd && chdir(plan->cwd) < 0)
        return tch_fail_errno(err, errno, "cannot go to folder '%s'", plan->cwd);
    if (plan->cpus && sched_setaffinity(0, sizeof plan->cpu_set, &plan->cpu_set) < 0)
        return tch_fail_errno(err, errno, "cannot run on CPUs %s", plan->cpus);
    if (plan->no_aslr && personality(ADDR_NO_RANDOMIZE) < 0)
        return tch_fail_errno(err, errno, "cannot switch address randomisation off");
    return 0;
}

/* Lets go of code that ran before and will not again, and forgets the peak: what is resident here
   when a command starts is counted as the command's. Code comes back from the file when needed. */
static void shrink(void)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    unsigned long long start;
    unsigned long long end;
    int fd;

    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%llx-%llx r-xp", &start, &end) == 2 && strstr(line, " r-xp ") &&
            strchr(line, '/'))
            madvise((void *)(uintptr_t)start, (size_t)(end - start), MADV_DONTNEED);
    if (maps)
        fclose(maps);
    fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (write(fd, "5", 1) < 0)
            errno = 0; /* the peak stays: a little more is counted */
        close(fd);
    }
}

static void own_cpu(void)
{
    atomic_store(&mine->cpu_ns, tch_clock_read(CLOCK_PROCESS_CPUTIME_ID));
}

/* One after the other; false when nobody listens any more. */
static bool run_jobs(int fd, const struct request *q, const struct tch_run_plan *plan,
                     const struct tch_target *targets)
{
    for (size_t i = 0; i < q->count; i++) {
        struct reply r = {0};

        run_one(&r, plan, &targets[q->jobs[i].index], q->jobs[i].index, q->jobs[i].run);
        own_cpu();
        if (write(fd, &r, sizeof r) != (ssize_t)sizeof r)
            return false;
        if (r.code < 0 || aborted || (!plan->allow_nonzero && (r.status != 0 || r.timed_out)))
            break;
    }
    return true;
}

_Noreturn static void serve(int fd, pid_t parent, const struct tch_run_plan *plan,
                            const struct tch_target *targets)
{
    static struct request q;
    struct reply r = {0};
    ssize_t n;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    r.code = set_up(plan, &r.err);
    if (getppid() != parent)
        _exit(1); /* it went before PDEATHSIG was set */
    shrink();
    if (write(fd, &r, sizeof r) != (ssize_t)sizeof r)
        _exit(1);
    do {
        do
            n = read(fd, &q, sizeof q);
        while (n < 0 && errno == EINTR && getppid() == parent);
    } while (n == (ssize_t)sizeof q && run_jobs(fd, &q, plan, targets));
    remove_empty_folders();
    _exit(0);
}

/*
 * Our side.
 */

static int read_reply(struct tch_spawner *s, struct reply *r, tacho_error *err)
{
    ssize_t n;

    do
        n = read(s->fd, r, sizeof *r);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return tch_fail_errno(err, errno, "cannot hear from the spawner");
    if (n != (ssize_t)sizeof *r)
        return tch_fail(err, TACHO_EIO, 0, "the spawner has ended; was it killed?");
    if (r->code < 0 && err)
        *err = r->err;
    return r->code;
}

static struct shared *map_shared(void)
{
    void *p = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                   -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static int fork_spawner(struct tch_spawner *s, const struct tch_run_plan *plan,
                        const struct tch_target *targets, tacho_error *err)
{
    pid_t parent = getpid();
    struct reply r;
    int fds[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) < 0)
        return tch_fail_errno(err, errno, "cannot make a socket");
    s->pid = fork();
    if (s->pid == 0) {
        close(fds[0]);
        mine = s->shared;
        serve(fds[1], parent, plan, targets);
    }
    close(fds[1]);
    s->fd = fds[0];
    if (s->pid < 0)
        return tch_fail_errno(err, errno, "cannot fork");
    return read_reply(s, &r, err);
}

int tch_spawner_open(const struct tch_run_plan *plan, const struct tch_target *targets,
                     struct tch_spawner **ret, tacho_error *err)
{
    struct tch_spawner *s = calloc(1, sizeof *s);
    int status;

    if (!s)
        return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
    s->fd = -1;
    s->shared = map_shared();
    if (!s->shared)
        status = tch_fail_errno(err, errno, "cannot share memory");
    else
        status = fork_spawner(s, plan, targets, err);
    if (status < 0)
        tch_spawner_close(s);
    else
        *ret = s;
    return status;
}

static void end_process(struct tch_spawner *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
    if (s->pid > 0) {
        kill(s->pid, SIGTERM); /* a command that still runs is ended */
        while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    s->pid = 0;
}

void tch_spawner_close(struct tch_spawner *s)
{
    if (!s)
        return;
    end_process(s);
    if (s->shared)
        munmap(s->shared, sizeof *s->shared);
    free(s);
}

int tch_spawner_begin(struct tch_spawner *s, const struct tch_job *jobs, size_t count,
                      tacho_error *err)
{
    struct request q = {.count = count};

    memcpy(q.jobs, jobs, count * sizeof *jobs);
    if (send(s->fd, &q, sizeof q, MSG_NOSIGNAL) != (ssize_t)sizeof q)
        return tch_fail_errno(err, errno, "cannot ask the spawner for a run; was it killed?");
    return 0;
}

static double timeval_ns(struct timeval t)
{
    return (double)t.tv_sec * 1e9 + (double)t.tv_usec * 1e3;
}

static void fill_sample(struct tch_run_sample *sample, const struct reply *r)
{
    const struct rusage *u = &r->usage;

    sample->start_ns = r->start_ns;
    sample->status = r->status;
    sample->timed_out = r->timed_out;
    sample->left_running = r->left_running;
    sample->field[TCH_WALL] = (double)r->wall_ns;
    sample->field[TCH_USER] = timeval_ns(u->ru_utime);
    sample->field[TCH_SYSTEM] = timeval_ns(u->ru_stime);
    sample->field[TCH_MAX_RSS] = (double)u->ru_maxrss * 1024;
    sample->field[TCH_MINOR_FAULTS] = (double)u->ru_minflt;
    sample->field[TCH_MAJOR_FAULTS] = (double)u->ru_majflt;
    sample->field[TCH_VOLUNTARY] = (double)u->ru_nvcsw;
    sample->field[TCH_INVOLUNTARY] = (double)u->ru_nivcsw;
    sample->field[TCH_BLOCK_READS] = (double)u->ru_inblock;
    sample->field[TCH_BLOCK_WRITES] = (double)u->ru_oublock;
}

int tch_spawner_wait(struct tch_spawner *s, uint64_t timeout_ns, struct tch_run_sample *ret,
                     tacho_error *err)
{
    struct pollfd p = {.fd = s->fd, .events = POLLIN};
    struct timespec t = {.tv_sec = (time_t)(timeout_ns / 1000000000u),
                         .tv_nsec = (long)(timeout_ns % 1000000000u)};
    struct reply r;
    int n = ppoll(&p, 1, timeout_ns == UINT64_MAX ? NULL : &t, NULL);
    int status;

    if (n < 0)
        return tch_fail_errno(err, errno, "waiting for the command");
    if (n == 0)
        return 0;
    status = read_reply(s, &r, err);
    if (status < 0)
        return status;
    fill_sample(ret, &r);
    return 1;
}

pid_t tch_spawner_child(const struct tch_spawner *s)
{
    return atomic_load(&s->shared->child);
}

void tch_spawner_abort(struct tch_spawner *s)
{
    if (s->pid > 0)
        kill(s->pid, SIGTERM);
}

uint64_t tch_spawner_cpu_ns(struct tch_spawner *s)
{
    end_process(s);
    return atomic_load(&s->shared->cpu_ns);
}
