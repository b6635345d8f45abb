/*
 * Runs a command to which the kernel refuses perf_event_open(2) with the given errno, by a seccomp
 * filter, as a container does. With OLD, the errno is EPERM, and the ioctl PROCMAP_QUERY fails as
 * before Linux 6.11.
 *
 *     refuse EPERM|EACCES|ENOSYS|OLD COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define QUERY 0xc0686611u /* the ioctl */

static int is_old(const char *name)
{
    return strcmp(name, "OLD") == 0;
}

static unsigned number_of(const char *name)
{
    return strcmp(name, "EPERM") == 0 || is_old(name) ? EPERM
           : strcmp(name, "EACCES") == 0              ? EACCES
                                                      : ENOSYS;
}

int main(int argc, char **argv)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (argc > 1 ? number_of(argv[1]) : 0)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, argc > 1 && is_old(argv[1]) ? SYS_ioctl : UINT32_MAX, 0,
                 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, QUERY, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof code[0], code};

    if (argc < 3)
        return 64;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0) {
        perror("refuse: no seccomp filter");
        return 77;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
