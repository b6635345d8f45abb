/*
 * The small process. Code counts: the kernel maps 64 KB around every place of the C library that is
 * touched, and all of it would be counted as the command's memory. So what happens once a run is
 * done by system calls alone; what needs more is done before the first.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "counters.h"
#include "spawner_talk.h"

enum {
    ENV_FILES = 3,
    ENV_FACTS = 5,
    PATH_ROOM = PATH_MAX + 64,
    STACK_SIZE = 16 * 1024, /* of a child until it has its program */
};

/* A target with all that can be made before. */
struct lane {
    const struct tch_target *target;
    const char **env;
    char *file[ENV_FILES];  /* of env; NULL: the user has set it */
    char folder[PATH_ROOM]; /* of the run that goes on */
    char empty[PATH_ROOM];  /* of the run before, when nothing was put there */
};

/* What a child needs to become the command. */
struct launch {
    const char *path;
    const char *const *argv;
    const char *const *env;
    const char *cwd; /* NULL: as ours */
    int fd[3];       /* -1: as ours */
    volatile int error;
};

/* Global, as signal handlers need it. */
static struct tch_spawner_shared *mine;
static const struct tch_run_plan *plan;
static struct lane *lanes;
static struct tch_counters counters;
static int null_fd;
static volatile sig_atomic_t child_pid;
static volatile sig_atomic_t term_sent;
static volatile sig_atomic_t timed_out;
static volatile sig_atomic_t aborted; /* for good: nothing is run after that */
static _Alignas(16) char stack[STACK_SIZE];

static const char *const file_names[ENV_FILES][2] = {
    {"TACHO_RUN_DIR=", ""},
    {"TACHO_PROFILE_JSONL=", "/profile.jsonl"},
    {"TACHO_TRACE_OUT=", "/trace.tacho"},
};

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;

    syscall(SYS_clock_gettime, id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Ending a command.
 */

static void arm(uint64_t first_ns)
{
    struct itimerval t = {
        .it_value = {.tv_sec = (time_t)(first_ns / 1000000000u),
                     .tv_usec = (suseconds_t)(first_ns % 1000000000u / 1000)},
        .it_interval = {.tv_sec = TCH_RUN_GRACE_NS / 1000000000u},
    };

    if (first_ns > 0 && first_ns < 1000)
        t.it_value.tv_usec = 1; /* 0 would be "never" */
    syscall(SYS_setitimer, ITIMER_REAL, &t, NULL);
}

/* TERM the first time, KILL from then on; again each second until it is gone. */
static void stop_child(void)
{
    int sig = term_sent ? SIGKILL : SIGTERM;

    if (child_pid <= 0)
        return;
    syscall(SYS_kill, -child_pid, sig);
    if (sig == SIGKILL)
        syscall(SYS_kill, child_pid, sig); /* should it have left its group */
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

static void on_pipe(int sig)
{
    (void)sig; /* not ignored: that would be inherited */
}

/*
 * Folders of the runs. An empty one is renamed for the next run: making and removing one each time
 * would cost several times as much.
 */

static char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    *at = '\0';
    return at;
}

/* At least four digits. */
static char *put_number(char *at, unsigned number)
{
    char digits[12];
    int n = 0;

    for (; number > 0 || n < 4; number /= 10)
        digits[n++] = (char)('0' + number % 10);
    while (n > 0)
        *at++ = digits[--n];
    *at = '\0';
    return at;
}

static void name_folder(struct lane *lane, unsigned run)
{
    char *at = put_text(lane->folder, lane->target->folder);

    put_number(put_text(at, "/iter/"), run);
    for (int i = 0; i < ENV_FILES; i++)
        if (lane->file[i])
            put_text(put_text(put_text(lane->file[i], file_names[i][0]), lane->folder),
                     file_names[i][1]);
}

/* Its time is set to 1970: it is another once a name has come into it. */
static int make_folder(struct lane *lane)
{
    static const struct timespec long_ago[2];

    if (lane->empty[0] &&
        syscall(SYS_renameat2, AT_FDCWD, lane->empty, AT_FDCWD, lane->folder, 0) == 0) {
        lane->empty[0] = '\0';
        return 0;
    }
    if (syscall(SYS_mkdirat, AT_FDCWD, lane->folder, 0777) < 0 && errno != EEXIST)
        return -1;
    return (int)syscall(SYS_utimensat, AT_FDCWD, lane->folder, long_ago, 0);
}

static void look_into_folder(struct lane *lane)
{
    struct statx st;

    if (syscall(SYS_statx, AT_FDCWD, lane->folder, 0, STATX_MTIME, &st) == 0 &&
        st.stx_mtime.tv_sec == 0 && st.stx_mtime.tv_nsec == 0)
        put_text(lane->empty, lane->folder);
}

/*
 * A run.
 */

/* In the child, on a stack of its own but in our memory: ThreadSanitizer would take it for the
 * thread that waits for it. */
__attribute__((no_sanitize("thread"))) static int become(void *arg)
{
    struct launch *l = arg;

    syscall(SYS_setpgid, 0, 0);
    for (int i = 0; i < 3; i++)
        if (l->fd[i] >= 0 && syscall(SYS_dup3, l->fd[i], i, 0) < 0)
            l->error = errno;
    if (l->error == 0 && l->cwd && syscall(SYS_chdir, l->cwd) < 0)
        l->error = errno;
    if (l->error == 0) {
        syscall(SYS_execve, l->path, l->argv, l->env);
        l->error = errno;
    }
    syscall(SYS_exit_group, 127);
    return 127;
}

static void wait_for_child(struct tch_spawner_reply *r)
{
    long got;

    if (aborted)
        on_term(SIGTERM);
    else if (plan->timeout_ns > 0)
        arm(plan->timeout_ns);
    do
        got = wait4((pid_t)child_pid, &r->status, 0, &r->usage);
    while (got < 0 && errno == EINTR);
    r->wall_ns = read_clock(CLOCK_MONOTONIC) - r->start_ns;
    if (plan->timeout_ns > 0 || aborted)
        syscall(SYS_setitimer, ITIMER_REAL, &(struct itimerval){0}, NULL);
    r->timed_out = timed_out && !aborted;
}

/* Orphans of the command are our children now. Those that have ended are reaped. */
static bool left_running(const struct tch_spawner_reply *r)
{
    long got;

    if (r->timed_out)
        syscall(SYS_kill, -child_pid, SIGKILL); /* what outlived the first of them */
    do
        got = syscall(SYS_wait4, -1, NULL, WNOHANG, NULL);
    while (got > 0);
    return got == 0 && !r->timed_out; /* then they are on their way */
}

/* What the run before said on standard error. */
static void clear_errors(int fd)
{
    if (fd >= 0 && syscall(SYS_lseek, fd, 0, SEEK_END) > 0)
        syscall(SYS_ftruncate, fd, 0);
}

/* clone(2) past the one that ThreadSanitizer puts in its place, which ends a child that shares our
 * memory. */
extern int plain_clone(int (*fn)(void *), void *stack, int flags, void *arg,
                       ...) __asm__("__clone");

static int launch(const struct lane *lane, struct tch_spawner_reply *r, struct launch *l)
{
    const int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
    int pid;

    term_sent = timed_out = 0;
    r->start_ns = read_clock(CLOCK_MONOTONIC);
    pid = plain_clone(become, stack + sizeof stack, flags, l);
    if (pid > 0 && l->error != 0)
        syscall(SYS_wait4, pid, NULL, 0, NULL);
    if (pid < 0 || l->error != 0)
        return tch_fail_errno(&r->err, pid < 0 ? errno : l->error, "cannot run '%s'",
                              lane->target->command->argv[0]);
    child_pid = pid;
    atomic_store(&mine->child, pid);
    wait_for_child(r);
    tch_counters_take(&counters, r->counters);
    atomic_store(&mine->child, 0);
    r->left_running = left_running(r);
    child_pid = 0;
    return 0;
}

static int run_one(struct tch_spawner_reply *r, struct lane *lane, unsigned run)
{
    const struct tch_run_command *command = lane->target->command;
    int out = plan->output == TCH_IO_INHERIT ? -1 : null_fd;
    struct launch l = {
        .path = command->path ? command->path : command->argv[0],
        .argv = command->argv,
        .env = lane->env,
        .cwd = command->cwd,
        .fd = {null_fd, lane->target->out_fd >= 0 ? lane->target->out_fd : out,
               lane->target->err_fd >= 0 ? lane->target->err_fd : out},
    };
    int status;

    if (lane->target->folder) {
        name_folder(lane, run);
        if (make_folder(lane) < 0)
            return tch_fail_errno(&r->err, errno, "cannot make the folder '%s'", lane->folder);
    }
    clear_errors(lane->target->err_fd);
    if (plan->input) {
        l.fd[0] = (int)syscall(SYS_openat, AT_FDCWD, plan->input, O_RDONLY | O_CLOEXEC);
        if (l.fd[0] < 0)
            return tch_fail_errno(&r->err, errno, "cannot open '%s'", plan->input);
    }
    status = launch(lane, r, &l);
    if (plan->input)
        syscall(SYS_close, l.fd[0]);
    if (lane->target->folder)
        look_into_folder(lane);
    return status;
}

/*
 * Before the first run.
 */

/* Has the user set a variable TACHO_..., or the one of the same name that is read in its place? */
static bool is_set(const char *name)
{
    char other[64];

    snprintf(other, sizeof other, "FERRUM_%s", name + strlen("TACHO_"));
    return getenv(name) || getenv(other);
}

/* What programs are told of the run, where the user tells nothing. */
static int add_facts(struct lane *lane, size_t n)
{
    const struct tch_target *t = lane->target;
    const char *facts[ENV_FACTS][2] = {{"TACHO_PROFILE_ENV_HASH", t->env_hash},
                                       {"TACHO_PROFILE_COMMIT_SHA", t->commit},
                                       {"TACHO_PROFILE_MODEL", t->model},
                                       {"TACHO_PROFILE_CONCURRENCY", t->concurrency},
                                       {"TACHO_PROFILE_RUNTIME_FLAGS_JSON", t->runtime_flags}};

    for (int i = 0; i < ENV_FACTS; i++) {
        char *fact = NULL;

        if (!facts[i][1] || !facts[i][1][0] || is_set(facts[i][0]))
            continue;
        if (asprintf(&fact, "%s=%s", facts[i][0], facts[i][1]) < 0)
            return TACHO_ENOMEM;
        lane->env[n++] = fact;
    }
    return 0;
}

/* The strings of `environ` and those that we add, each with room. */
static int make_env(struct lane *lane)
{
    size_t n = 0;

    while (environ[n])
        n++;
    lane->env = calloc(n + ENV_FILES + ENV_FACTS + 1, sizeof *lane->env);
    if (!lane->env)
        return TACHO_ENOMEM;
    n = 0;
    for (char **e = environ; *e; e++)
        if (strncmp(*e, file_names[0][0], strlen(file_names[0][0])) != 0)
            lane->env[n++] = *e;
    for (int i = 0; i < ENV_FILES && lane->target->folder; i++) {
        char name[32];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(file_names[i][0], "="), file_names[i][0]);
        if (i > 0 && is_set(name))
            continue;
        lane->file[i] = malloc(PATH_ROOM + 64);
        if (!lane->file[i])
            return TACHO_ENOMEM;
        lane->env[n++] = lane->file[i];
    }
    return add_facts(lane, n);
}

static int make_lanes(const struct tch_target *targets, tacho_error *err)
{
    lanes = calloc(plan->command_count, sizeof *lanes);
    for (size_t i = 0; lanes && i < plan->command_count; i++) {
        lanes[i].target = &targets[i];
        if (make_env(&lanes[i]) < 0)
            return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the environment");
    }
    return lanes ? 0 : tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
}

/* A program has the default for every signal: what we ignore it would inherit. */
static void set_signals(void)
{
    static const struct {
        int sig;
        void (*handler)(int);
    } ours[] = {{SIGALRM, on_alarm}, {SIGTERM, on_term}, {SIGPIPE, on_pipe}};
    sigset_t none;

    for (int sig = 1; sig < NSIG; sig++)
        signal(sig, SIG_DFL);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        struct sigaction action = {.sa_handler = ours[i].handler};

        sigfillset(&action.sa_mask);
        sigaction(ours[i].sig, &action, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* All that is the same for every run is done to this process, and inherited. */
static int set_up(const struct tch_target *targets, tacho_error *err)
{
    setpgid(0, 0); /* Ctrl-C is for our parent, who tells us */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "tacho-spawner");
    set_signals();
    tch_counters_open(&counters, tch_hardware_counters, TCH_COUNTERS);
    null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0)
        return tch_fail_errno(err, errno, "cannot open '/dev/null'");
    for (const char *const *e = plan->env; e && *e; e++)
        if (putenv((char *)*e) != 0)
            return tch_fail(err, TACHO_ENOMEM, 0, "out of memory for the environment");
    if (plan->cwd && chdir(plan->cwd) < 0)
        return tch_fail_errno(err, errno, "cannot go to folder '%s'", plan->cwd);
    if (plan->cpus && sched_setaffinity(0, sizeof plan->cpu_set, &plan->cpu_set) < 0)
        return tch_fail_errno(err, errno, "cannot run on CPUs %s", plan->cpus);
    if (plan->no_aslr && personality(ADDR_NO_RANDOMIZE) < 0)
        return tch_fail_errno(err, errno, "cannot switch address randomisation off");
    return make_lanes(targets, err);
}

/* Where code is. */
struct piece {
    uintptr_t start;
    size_t len;
};

enum { PIECES = 64 };

/* "7f1c-7f2d r-xp ..." */
static bool parse_piece(const char *line, struct piece *ret)
{
    char *end;
    uintmax_t start = strtoumax(line, &end, 16);
    uintmax_t stop = *end == '-' ? strtoumax(end + 1, &end, 16) : 0;

    if (stop <= start || strncmp(end, " r-xp ", 6) != 0 || !strchr(end, '/'))
        return false;
    *ret = (struct piece){(uintptr_t)start, (size_t)(stop - start)};
    return true;
}

static size_t find_code(struct piece *pieces)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    size_t n = 0;

    while (maps && n < PIECES && fgets(line, sizeof line, maps))
        n += parse_piece(line, &pieces[n]);
    if (maps)
        fclose(maps);
    return n;
}

/* Lets go of code that ran before and will not again, and forgets the peak: what is resident here
   when a command starts is counted as the command's. Code comes back from the file when needed. */
static void shrink(void)
{
    static const char peak[] = "5";
    struct piece pieces[PIECES];
    size_t n = find_code(pieces);
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

    for (size_t i = 0; i < n; i++)
        syscall(SYS_madvise, pieces[i].start, pieces[i].len, MADV_DONTNEED);
    if (fd >= 0) {
        syscall(SYS_write, fd, peak, 1);
        syscall(SYS_close, fd);
    }
}

/*
 * Serving.
 */

/* One after the other; false when nobody listens any more. */
static bool run_jobs(int fd, const struct tch_spawner_request *q)
{
    static struct tch_spawner_reply r;
    static const struct tch_spawner_reply fresh;

    for (size_t i = 0; i < q->count; i++) {
        r = fresh;
        for (int k = 0; k < TCH_FIELDS; k++)
            r.counters[k] = NAN;
        r.code = run_one(&r, &lanes[q->jobs[i].index], q->jobs[i].run);
        atomic_store(&mine->cpu_ns, read_clock(CLOCK_PROCESS_CPUTIME_ID));
        if (syscall(SYS_write, fd, &r, sizeof r) != (long)sizeof r)
            return false;
        if (r.code < 0 || aborted || (!plan->allow_nonzero && (r.status != 0 || r.timed_out)))
            break;
    }
    return true;
}

static void remove_empty_folders(void)
{
    for (size_t i = 0; i < plan->command_count; i++)
        if (lanes[i].empty[0])
            rmdir(lanes[i].empty);
}

/* Our parent ends its server itself, unless it was killed. */
static void end_server(pid_t parent)
{
    pid_t group = atomic_load(&mine->server);
    const struct timespec grace = {.tv_sec = TCH_RUN_GRACE_NS / 1000000000u};

    if (group <= 0 || getppid() == parent)
        return;
    kill(-group, SIGTERM);
    nanosleep(&grace, NULL);
    kill(-group, SIGKILL);
}

_Noreturn void tch_spawner_serve(int fd, pid_t parent, struct tch_spawner_shared *shared,
                                 const struct tch_run_plan *the_plan,
                                 const struct tch_target *targets)
{
    static struct tch_spawner_request q;
    struct tch_spawner_reply r = {0};
    long n;

    mine = shared;
    plan = the_plan;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    r.code = set_up(targets, &r.err);
    if (getppid() != parent)
        _exit(1); /* it went before PDEATHSIG was set */
    if (write(fd, &r, sizeof r) != (ssize_t)sizeof r || r.code < 0)
        _exit(1);
    shrink();
    do {
        do
            n = syscall(SYS_read, fd, &q, sizeof q);
        while (n < 0 && errno == EINTR && syscall(SYS_getppid) == parent);
    } while (n == (long)sizeof q && run_jobs(fd, &q));
    remove_empty_folders();
    end_server(parent);
    _exit(0);
}
