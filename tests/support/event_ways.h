/* The two ways to read the values of an event: by their marks where it is plain, and member by
 * member. Both must give the same. */
#ifndef TEST_SUPPORT_EVENT_WAYS_H
#define TEST_SUPPORT_EVENT_WAYS_H

#include <stdbool.h>
#include <stddef.h>

/** Reads the text in both ways. Returns whether the values, or the error and its place, agree. */
bool test_event_ways_agree(const char *text, size_t len);

#endif
