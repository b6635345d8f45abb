/*
 * Samples a thread that is stopped by ptrace(2).
 */
#ifndef TCH_SAMPLE_STOPPED_H
#define TCH_SAMPLE_STOPPED_H

#include "sample_record.h"

struct user_regs_struct;

/** Copies registers into the order of struct tch_ring_record. */
void tch_sample_registers(const struct user_regs_struct *from, uint64_t *to);

/**
 * Adds 1 to the stack of a thread that this process has stopped with ptrace. Its maps must be
 * known, see tch_collect_process(). The options of c are user_stack and by_hand.
 *
 * @param room  has TCH_SAMPLE_ROOM bytes
 * @return the number of the stack in c->stacks; TACHO_EUNSUPPORTED: the registers or the stack
 * cannot be read; TACHO_ENOMEM
 */
int64_t tch_sample_stopped(struct tch_collect *c, pid_t tid, uint8_t *room, tacho_error *err);

#endif
