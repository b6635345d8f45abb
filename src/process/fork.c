/* Forks children that do not outlive this process. */
#include "fork.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

pid_t tch_fork(void)
{
    pid_t parent = getpid();
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        if (getppid() != parent)
            _exit(127); /* the parent died before prctl(), so that no signal follows */
    }
    return pid;
}

void tch_reset_signals(void)
{
    struct sigaction hangup;
    sigset_t none;

    sigaction(SIGHUP, NULL, &hangup);
    for (int sig = 1; sig < NSIG; sig++)
        if (sig != SIGHUP || hangup.sa_handler != SIG_IGN)
            signal(sig, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}
