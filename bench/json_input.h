/*
 * JSON lines to parse, as much as asked for, the same in every run and no two lines alike:
 * repeated lines would teach the branch predictor what comes next.
 */
#ifndef BENCH_JSON_INPUT_H
#define BENCH_JSON_INPUT_H

#include <stddef.h>
#include <stdint.h>

/** Whole lines, the last one ended as well; PEER_PADDING bytes more can be read behind them. */
struct json_input {
    char *text;
    size_t len;
    size_t lines;
};

enum { JSON_EVENT_SIZE = 388 };

/** Each returns 0, or -1 after saying on stderr what is wrong; `size` bytes, to the line. */

/** The lines of the files, over and over, with other digits and other lengths of each value. */
int json_input_from_files(struct json_input *in, char *const *paths, size_t count, size_t size);

/** The same with a made-up line of 9 KB, of the character of a real one. */
int json_input_from_nothing(struct json_input *in, size_t size);

/** Profile events of JSON_EVENT_SIZE bytes each, line feed included. */
int json_input_events(struct json_input *in, size_t size);

/** Accepts one that failed. */
void json_input_release(struct json_input *in);

#endif
