/*
 * Made-up machines in the test's folder, and how long something took.
 */
#ifndef TESTS_MEASURE_MADE_UP_H
#define TESTS_MEASURE_MADE_UP_H

#include "support/test.h"

#include <stdio.h>
#include <time.h>

#include "base/file.h"
#include "support/system.h"

/** A file in it, with the folders above. */
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

/** How long something took, as far as that can be told on a busy machine: between these two. */
struct took {
    double least;
    double most;
};

/** From at[0..1] to at[2..3]: clock readings before and after what began it, and what ended it. */
static inline struct took took(const uint64_t at[4])
{
    return (struct took){(double)(at[2] - at[1]) / 1e9, (double)(at[3] - at[0]) / 1e9};
}

#endif
