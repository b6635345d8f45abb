/* Reads the registers and the stack of a thread that is stopped by ptrace. */
#include "sample_stopped.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#include "base/fail.h"
#include "collect_stack.h"

enum { STACK_BYTES = 32 << 10 };

void tch_sample_registers(const struct user_regs_struct *r, uint64_t *to)
{
    const uint64_t order[TCH_RING_REGS] = {r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi,
                                           r->rbp, r->rsp, r->rip, r->r8,  r->r9,  r->r10,
                                           r->r11, r->r12, r->r13, r->r14, r->r15};

    memcpy(to, order, sizeof order);
}

int64_t tch_sample_stopped(struct tch_collect *c, pid_t tid, uint8_t *room, tacho_error *err)
{
    struct tch_ring_record head = {.pid = (uint32_t)tid, .tid = (uint32_t)tid};
    struct user_regs_struct regs;
    struct iovec into = {&regs, sizeof regs};
    uint8_t stack[STACK_BYTES];
    ssize_t len;

    if (ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &into) < 0 || into.iov_len != sizeof regs)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "the registers cannot be read");
    len = process_vm_readv(tid, &(struct iovec){stack, sizeof stack}, 1,
                           &(struct iovec){(void *)(regs.rsp - TCH_RED_ZONE), sizeof stack}, 1, 0);
    if (len < 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "the stack cannot be read");
    head.len = (uint32_t)len;
    tch_sample_registers(&regs, head.regs);
    tch_sample_record(room, &head, STACK_BYTES, stack);
    c->samples++;
    return tch_collect_stack(c, (const void *)room, head.pid, head.tid, 1, err);
}
