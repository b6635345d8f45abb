/*
 * Messages about failures that no call can return, such as a file named by the environment that
 * cannot be opened.
 */
#ifndef TCH_MESSAGE_H
#define TCH_MESSAGE_H

#include <tacho/error.h>

/** Passes a line to the handler of tacho_set_message_handler(), or writes it to standard error. No
    lock may be held that a public function takes: a handler may call any of them. */
void tch_message(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** Writes a line to standard error, without the handler, which may not exist any more when a
    destructor has a message. May contain one path. */
void tch_message_at_exit(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
