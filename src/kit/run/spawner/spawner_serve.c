/*
 * The spawner: a small process that starts commands, waits for them, and kills them in time.
 *
 * Processes
 *   tacho    forks the spawner while it is small. It may have several spawners at once.
 *   spawner  this file. It has a process group of its own and is a subreaper.
 *   command  its child by CLONE_VM | CLONE_VFORK, which borrows our memory until execve(). It has a
 *            process group of its own.
 *   orphans  descendants that a command leaves running. The spawner adopts and reaps them.
 *
 * Signals
 *   tacho to spawner    SIGTERM: abort; no run follows. The kernel sends it too when tacho dies.
 *   timer to spawner    SIGALRM: --timeout, or the grace time after SIGTERM, is over.
 *   spawner to command  SIGTERM to its group, then SIGKILL each TCH_RUN_GRACE_NS until it is gone.
 *   spawner to orphans  SIGKILL after a timeout or an abort, also to those that left the group.
 *   kernel to command   SIGKILL when the spawner dies.
 *   Ctrl-C reaches tacho alone, because the others are in groups of their own.
 *
 * Descriptors and shared memory
 *   socket   tacho sends a request for up to TCH_JOBS_MAX runs; one reply follows the last of them.
 *            End of file: tacho closed it or died. A request may bring new files for the outputs
 *            of a command instead.
 *   shared   the spawner stores a sample, then `done`; and child, began_ns, cpu_ns. tacho stores
 *            polled_*, which the spawner reads when the child has exited.
 *   targets  out_fd, err_fd and log_fd of each command, opened by tacho. Each counted run is a line
 *            in log_fd before the next run starts.
 *   set_up() closes all other descriptors that tacho opened for itself. Commands inherit the rest.
 *
 * Between two runs
 *   Pages that are resident here when a command starts count as the command's own memory. From
 *   tch_spawner_shrink() on this process uses system calls alone: no malloc(), no stdio, and no
 *   function of a library that is not needed anyway. See spawner_parts.h.
 *
 * How each process ends
 *   command  It exits by itself, or is killed by the time limit or by an abort. After an abort its
 *            run is not a sample.
 *   spawner  It exits when the socket is closed, or within a second after tacho died, which read()
 *            notices by SIGTERM, by end of file or by its timeout. Before it exits, it kills the
 *            command, removes an empty run folder and kills all orphans.
 *   If the spawner itself is killed, the kernel kills the command and gives its descendants to
 *   tacho, a subreaper too. tacho reads end of file, kills them and reports it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/number.h"
#include "hardware_counters.h"
#include "spawner_parts.h"

enum { STACK_SIZE = 16 * 1024 }; /* stack of a child until execve() */

/* Everything that a child needs to become the command. */
struct launch {
    const char *path;
    const char *const *argv;
    const char *const *env;
    const char *cwd; /* NULL: our own folder */
    int fd[3];       /* -1: our own */
    volatile int error;
};

/* Global, because signal handlers need it. */
static struct tch_spawner_shared *mine;
static const struct tch_run_plan *plan;
static struct tch_spawner_lane *lanes;
static struct tch_counters counters;
static int null_fd;
static volatile sig_atomic_t child_pid;
static volatile sig_atomic_t term_sent;
static volatile sig_atomic_t timed_out;
static volatile sig_atomic_t aborted; /* permanent: no run follows */
static _Alignas(16) char stack[STACK_SIZE];

static uint64_t read_clock(clockid_t id)
{
    struct timespec t;

    syscall(SYS_clock_gettime, id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/*
 * Stopping a command.
 */

static void arm(uint64_t first_ns)
{
    struct itimerval t = {
        .it_value = {.tv_sec = (time_t)(first_ns / 1000000000u),
                     .tv_usec = (suseconds_t)(first_ns % 1000000000u / 1000)},
        .it_interval = {.tv_sec = TCH_RUN_GRACE_NS / 1000000000u},
    };

    if (first_ns > 0 && first_ns < 1000)
        t.it_value.tv_usec = 1; /* 0 would disable the timer */
    syscall(SYS_setitimer, ITIMER_REAL, &t, NULL);
}

/* Sends SIGTERM the first time, then SIGKILL each second until the command is gone. A signal
   handler calls it while the run is measured, so that it cannot search /proc as tch_tree_end()
   does. */
static void stop_child(void)
{
    int sig = term_sent ? SIGKILL : SIGTERM;

    if (child_pid <= 0)
        return;
    syscall(SYS_kill, -child_pid, sig);
    if (sig == SIGKILL)
        syscall(SYS_kill, child_pid, sig); /* in case it left its group */
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
    (void)sig; /* an ignored signal would be inherited by the command */
}

/*
 * A run.
 */

/*
 * Runs in the child, on its own stack but in our memory. ThreadSanitizer would take it for the
 * thread that waits for it.
 */
__attribute__((no_sanitize("thread"))) static int become(void *arg)
{
    struct launch *l = arg;

    syscall(SYS_setpgid, 0, 0);
    syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* stays set after execve() */
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

/* Waits for the child. Returns true if it exited before an abort, so that it is a sample. */
static bool wait_for_child(struct tch_run_sample *r)
{
    struct rusage usage;
    bool by_itself;
    long got;

    if (aborted)
        on_term(SIGTERM);
    else if (plan->timeout_ns > 0)
        arm(plan->timeout_ns);
    do
        got = wait4((pid_t)child_pid, &r->run.status, 0, &usage);
    while (got < 0 && errno == EINTR);
    r->field[TCH_WALL] = (double)(read_clock(CLOCK_MONOTONIC) - r->run.start_ns);
    by_itself = !aborted;
    if (plan->timeout_ns > 0 || !by_itself)
        syscall(SYS_setitimer, ITIMER_REAL, &(struct itimerval){0}, NULL);
    r->run.timed_out = timed_out && by_itself;
    r->field[TCH_USER] = (double)tch_timeval_ns(usage.ru_utime);
    r->field[TCH_SYSTEM] = (double)tch_timeval_ns(usage.ru_stime);
    r->field[TCH_MAX_RSS] = (double)usage.ru_maxrss * 1024;
    r->field[TCH_MINOR_FAULTS] = (double)usage.ru_minflt;
    r->field[TCH_MAJOR_FAULTS] = (double)usage.ru_majflt;
    r->field[TCH_VOLUNTARY] = (double)usage.ru_nvcsw;
    r->field[TCH_INVOLUNTARY] = (double)usage.ru_nivcsw;
    r->field[TCH_BLOCK_READS] = (double)usage.ru_inblock;
    r->field[TCH_BLOCK_WRITES] = (double)usage.ru_oublock;
    return by_itself;
}

/* Adds the memory that polls saw. The peak that the kernel reports at the exit may be too low by
   some pages; a polled peak is exact. The tree may have peaked between two polls, but it held at
   least what its largest process held. */
static void add_polled_memory(double field[TCH_FIELDS])
{
    double tree;
    double peak;

    if (atomic_load(&mine->polled_pid) != child_pid)
        return;
    tree = (double)atomic_load(&mine->polled_tree_bytes);
    peak = (double)atomic_load(&mine->polled_peak_bytes);
    if (peak > field[TCH_MAX_RSS])
        field[TCH_MAX_RSS] = peak;
    field[TCH_TREE_RSS] = tree > field[TCH_MAX_RSS] ? tree : field[TCH_MAX_RSS];
}

/* Kills the processes in the text of a "children" file. */
static void kill_listed(const char *text, long len)
{
    long pid = 0;

    for (long i = 0; i < len; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';

        if (!digit && pid > 0)
            syscall(SYS_kill, pid, SIGKILL);
        pid = digit ? pid * 10 + (text[i] - '0') : 0;
    }
}

/* Kills all orphans, even those that left the command's group or session. They are our children,
   and their children become ours when they have exited. Limited, in case one of them forks without
   end. tch_children_kill() does the same, but allocates and reads by functions of libraries, whose
   pages would count as memory of the next command. */
static void kill_orphans(void)
{
    enum { ROUNDS = 1000 };
    const struct timespec nap = {.tv_nsec = 1000000};
    char list[1024];

    for (int i = 0; i < ROUNDS; i++) {
        int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/children", O_RDONLY);
        long got;

        if (fd >= 0) {
            kill_listed(list, syscall(SYS_read, fd, list, sizeof list));
            syscall(SYS_close, fd);
        }
        do
            got = syscall(SYS_wait4, -1, NULL, WNOHANG, NULL);
        while (got > 0);
        if (got < 0 || fd < 0)
            return;
        syscall(SYS_nanosleep, &nap, NULL);
    }
}

/* Reaps orphans that have exited. After a timeout or an abort, kills all others. Returns whether
   orphans are still running. */
static bool left_running(const struct tch_run_sample *r)
{
    long got;

    if (r->run.timed_out || aborted) {
        syscall(SYS_kill, -child_pid, SIGKILL);
        kill_orphans();
    }
    do
        got = syscall(SYS_wait4, -1, NULL, WNOHANG, NULL);
    while (got > 0);
    return got == 0;
}

/* clone(2) without the wrapper of ThreadSanitizer, which kills a child that shares our memory. */
extern int plain_clone(int (*fn)(void *), void *stack, int flags, void *arg,
                       ...) __asm__("__clone");

/* Makes one run. Returns 1 if the command exited by itself, 0 if it was killed by an abort. */
static int launch(const struct tch_spawner_lane *lane, struct tch_run_sample *r, struct launch *l,
                  tacho_error *err)
{
    const int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
    bool by_itself;
    int pid;

    term_sent = timed_out = 0;
    r->run.start_ns = read_clock(CLOCK_MONOTONIC);
    pid = plain_clone(become, stack + sizeof stack, flags, l);
    if (pid > 0 && l->error != 0)
        syscall(SYS_wait4, pid, NULL, 0, NULL);
    if (pid < 0 || l->error != 0)
        return tch_fail_errno(err, pid < 0 ? errno : l->error, "cannot run '%s'",
                              lane->target->command->argv[0]);
    child_pid = pid;
    atomic_store(&mine->began_ns, r->run.start_ns);
    atomic_store(&mine->child, pid);
    by_itself = wait_for_child(r);
    tch_counters_read(&counters, r->field);
    add_polled_memory(r->field);
    atomic_store(&mine->child, 0);
    r->run.left_running = left_running(r);
    child_pid = 0;
    return by_itself;
}

static int run_one(struct tch_run_sample *r, struct tch_spawner_lane *lane, tacho_error *err)
{
    const struct tch_target *target = lane->target;
    const struct tch_run_command *command = target->command;
    int out = plan->output == TCH_IO_INHERIT ? -1 : null_fd;
    struct launch l = {
        .path = command->path ? command->path : command->argv[0],
        .argv = command->argv,
        .env = lane->env,
        .cwd = command->cwd,
        .fd = {null_fd, target->out_fd >= 0 ? target->out_fd : out,
               target->err_fd >= 0 ? target->err_fd : out},
    };
    int status;

    if (target->folder && tch_spawner_lane_enter(lane, (unsigned)r->run.run) < 0)
        return tch_fail_errno(err, errno, "cannot make the folder '%s'", lane->folder);
    /* Standard error may still contain the messages of the previous run. */
    if (target->err_fd >= 0 && syscall(SYS_lseek, target->err_fd, 0, SEEK_END) > 0)
        syscall(SYS_ftruncate, target->err_fd, 0);
    if (plan->input) {
        l.fd[0] = (int)syscall(SYS_openat, AT_FDCWD, plan->input, O_RDONLY | O_CLOEXEC);
        if (l.fd[0] < 0)
            return tch_fail_errno(err, errno, "cannot open '%s'", plan->input);
    }
    status = launch(lane, r, &l, err);
    if (plan->input)
        syscall(SYS_close, l.fd[0]);
    if (target->folder)
        tch_spawner_lane_leave(lane, (unsigned)r->run.run);
    if (status > 0 && r->run.run > 0 && target->log_fd >= 0 &&
        tch_spawner_log(target->log_fd, r) < 0)
        return tch_fail_errno(err, errno, "cannot write 'samples.jsonl'");
    return status;
}

/*
 * Before the first run.
 */

/* Sets every signal to its default, because a command would inherit ignored signals. Only SIGHUP
   stays ignored under nohup, which is meant for the command. */
static void set_signals(void)
{
    static const struct {
        int sig;
        void (*handler)(int);
    } ours[] = {{SIGALRM, on_alarm}, {SIGTERM, on_term}, {SIGPIPE, on_pipe}};
    struct sigaction hangup = {0};
    sigset_t none;

    sigaction(SIGHUP, NULL, &hangup);
    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGHUP || hangup.sa_handler != SIG_IGN)
            signal(sig, SIG_DFL);
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++) {
        struct sigaction action = {.sa_handler = ours[i].handler};

        sigfillset(&action.sa_mask);
        sigaction(ours[i].sig, &action, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static bool is_kept(int fd, int socket, const struct tch_target *targets)
{
    if (fd == socket)
        return true;
    for (size_t i = 0; i < plan->command_count; i++)
        if (fd == targets[i].out_fd || fd == targets[i].err_fd || fd == targets[i].log_fd)
            return true;
    return false;
}

/* Closes the descriptors that tacho opened for itself, which are those with close-on-exec. The
   sockets of other spawners are among them: while a copy is open here, those never see end of file.
   All other descriptors came from tacho's caller, and the command inherits them. */
static int close_others(int socket, const struct tch_target *targets, tacho_error *err)
{
    DIR *folder = opendir("/proc/self/fd");
    struct dirent *entry;

    if (!folder)
        return tch_fail_errno(err, errno, "cannot list the open files in '/proc/self/fd'");
    while ((entry = readdir(folder)) != NULL) {
        uint64_t fd;

        if (tch_parse_u64(entry->d_name, INT_MAX, &fd) < 0 || (int)fd == dirfd(folder))
            continue;
        if ((fcntl((int)fd, F_GETFD) & FD_CLOEXEC) && !is_kept((int)fd, socket, targets))
            close((int)fd);
    }
    closedir(folder);
    return 0;
}

/* Sets up this process with everything that is the same for all runs. The commands inherit it. */
static int set_up(int socket, const struct tch_target *targets, tacho_error *err)
{
    int status = close_others(socket, targets, err);

    if (status < 0)
        return status;
    setpgid(0, 0); /* Ctrl-C reaches only tacho, which sends us a signal */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "tacho-spawner");
    set_signals();
    tch_counters_open(&counters, tch_hardware_counters, TCH_COUNTERS);
    null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null_fd < 0)
        return tch_fail_errno(err, errno, "cannot open '/dev/null'");
    for (const char *const *e = plan->env; e && *e; e++)
        if (putenv((char *)*e) != 0)
            return tch_fail_memory(err);
    if (plan->cwd && chdir(plan->cwd) < 0)
        return tch_fail_errno(err, errno, "cannot change to folder '%s'", plan->cwd);
    if (plan->cpus && sched_setaffinity(0, sizeof plan->cpu_set, &plan->cpu_set) < 0)
        return tch_fail_errno(err, errno,
                              "cannot run on CPU %s; 'nproc' prints how many CPUs there are, and "
                              "the first one is 0",
                              plan->cpus);
    if (plan->no_aslr && personality(ADDR_NO_RANDOMIZE) < 0)
        return tch_fail_errno(err, errno, "cannot switch address randomisation off");
    lanes = calloc(plan->command_count, sizeof *lanes);
    if (!lanes)
        return tch_fail_memory(err);
    for (size_t i = 0; i < plan->command_count; i++)
        if (tch_spawner_lane_init(&lanes[i], &targets[i]) < 0)
            return tch_fail_memory(err);
    return 0;
}

/*
 * Serving.
 */

/* Reads a request and the descriptors that come with it. Returns like read(2). */
static long read_request(int fd, struct tch_spawner_request *q, int fds[2])
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
    struct iovec data = {q, sizeof *q};
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = control,
                       .msg_controllen = sizeof control};
    long n = syscall(SYS_recvmsg, fd, &m, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
    const int *given = head ? (const int *)(const void *)CMSG_DATA(head) : NULL;
    size_t count = head ? (head->cmsg_len - CMSG_LEN(0)) / sizeof *given : 0;

    for (size_t i = 0; i < 2; i++)
        fds[i] = i < count ? given[i] : -1;
    return n;
}

/* Replaces the outputs of a target, under the same descriptors. */
static void renew_outputs(const struct tch_spawner_request *q, const int fds[2])
{
    const struct tch_target *target = lanes[q->jobs[0].index].target;
    const int numbers[2] = {target->out_fd, target->err_fd};
    int next = 0;

    for (int i = 0; i < 2; i++) {
        if (!q->renew[i])
            continue;
        syscall(SYS_dup3, fds[next], numbers[i], O_CLOEXEC);
        syscall(SYS_close, fds[next]);
        next++;
    }
}

/* Makes the requested runs, one after the other. Returns false if tacho no longer reads replies. */
static bool run_jobs(int fd, const struct tch_spawner_request *q)
{
    static const struct tch_run_sample fresh;
    struct tch_spawner_reply reply = {0};

    for (uint32_t i = 0; i < q->count && !aborted; i++) {
        struct tch_run_sample *r = &mine->samples[i];

        *r = fresh; /* assigned from a constant, so that no memset() is called */
        r->run.run = q->jobs[i].run;
        r->run.pair = q->jobs[i].pair;
        for (int k = 0; k < TCH_FIELDS; k++)
            r->field[k] = NAN;
        reply.code = run_one(r, &lanes[q->jobs[i].index], &reply.err);
        if (reply.code <= 0)
            break;
        reply.code = 0;
        atomic_store(&mine->done, i + 1);
        if (!plan->allow_nonzero && (r->run.status != 0 || r->run.timed_out))
            break;
    }
    atomic_store(&mine->cpu_ns, read_clock(CLOCK_PROCESS_CPUTIME_ID));
    return syscall(SYS_write, fd, &reply, sizeof reply) == (long)sizeof reply;
}

_Noreturn void tch_spawner_serve(int fd, pid_t parent, struct tch_spawner_shared *shared,
                                 const struct tch_run_plan *the_plan,
                                 const struct tch_target *targets)
{
    static struct tch_spawner_request q;
    struct tch_spawner_reply r = {0};
    int fds[2];
    long n;

    mine = shared;
    plan = the_plan;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    /* With this timeout a dead parent is noticed within a second, even if another process holds its
       end of the socket. The signal alone is not enough, because it may arrive just before read()
       begins to wait. */
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){.tv_sec = 1}, sizeof(struct timeval));
    r.code = set_up(fd, targets, &r.err);
    if (getppid() != parent)
        _exit(1); /* tacho exited before PDEATHSIG was set */
    if (write(fd, &r, sizeof r) != (ssize_t)sizeof r || r.code < 0)
        _exit(1);
    tch_spawner_log_init();
    tch_spawner_shrink();
    do {
        do
            n = read_request(fd, &q, fds);
        while (n < 0 && (errno == EINTR || errno == EAGAIN) && syscall(SYS_getppid) == parent);
        if (n == (long)sizeof q && q.count == 0)
            renew_outputs(&q, fds);
    } while (n == (long)sizeof q && (q.count == 0 || run_jobs(fd, &q)));
    for (size_t i = 0; i < plan->command_count; i++)
        tch_spawner_lane_close(&lanes[i]);
    if (!atomic_load(&mine->closing))
        kill_orphans();
    _exit(0);
}
