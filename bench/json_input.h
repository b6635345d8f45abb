/*
 * Makes any number of JSON lines to parse. They are the same in every run, and no two lines are
 * equal, because repeated lines would train the branch predictor.
 */
#ifndef BENCH_JSON_INPUT_H
#define BENCH_JSON_INPUT_H

#include <stddef.h>
#include <stdint.h>

/** Whole lines, each with a line feed. PEER_PADDING more bytes after them can be read. */
struct json_input {
    char *text;
    size_t len;
    size_t lines;
};

enum { JSON_EVENT_SIZE = 388 };

/* The following functions make about `size` bytes of whole lines. They return 0, or -1 after a
   message on stderr. */

/** Repeats the lines of the files, with other digits and other lengths of each value. */
int json_input_from_files(struct json_input *in, char *const *paths, size_t count, size_t size);

/** Repeats a made-up line of 9 KB that resembles a real one, in the same way. */
int json_input_from_nothing(struct json_input *in, size_t size);

/** Makes profile events of JSON_EVENT_SIZE bytes each, including the line feed. */
int json_input_events(struct json_input *in, size_t size);

/** Frees the lines. May be called after a failure. */
void json_input_release(struct json_input *in);

#endif
