/*
 * Made-up machines in the test's folder, and bounds of the time that something took.
 */
#ifndef TESTS_MEASURE_MADE_UP_H
#define TESTS_MEASURE_MADE_UP_H

#include "support/test.h"

#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "support/system.h"

/** Writes a file of the made-up machine, and makes the folders above it. */
static inline void put(const char *name, const char *text)
{
    char path[256];
    char *slash;

    snprintf(path, sizeof path, "%s/%s", test_home, name);
    slash = strrchr(path, '/');
    *slash = '\0';
    assert_int_equal(tch_mkdirs(path, NULL), 0);
    *slash = '/';
    test_put(path, text);
}

static inline void sleep_ns(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

    nanosleep(&t, NULL);
}

/** Bounds of the time that something took; on a busy machine only bounds are known. */
struct took {
    double least;
    double most;
};

/** Computes the bounds from clock readings: at[0] and at[1] before and after its start, at[2]
    and at[3] before and after its end. */
static inline struct took took(const uint64_t at[4])
{
    return (struct took){(double)(at[2] - at[1]) / 1e9, (double)(at[3] - at[0]) / 1e9};
}

#endif
