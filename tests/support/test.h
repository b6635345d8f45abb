/*
 * Included by every unit test: cmocka, allocations that fail on request, reference data.
 */
#ifndef TEST_SUPPORT_TEST_H
#define TEST_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/** Makes the n-th allocation from now (from 0) fail, and all later ones; -1: none fails. */
void test_alloc_fail_after(long n);

/** Returns the number of blocks that were allocated and not freed since the program started. */
long test_alloc_live(void);

/**
 * Runs `call` with the 0th, 1st, 2nd … allocation failing until it succeeds.
 *
 * `call` returns 0 on success and releases all memory, also after every failure, which is checked
 * here. Fails the test if it never succeeds.
 */
void test_every_allocation_fails(int (*call)(void *arg), void *arg);

#endif
