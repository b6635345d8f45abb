/*
 * Status codes, the error that every failing call can fill in, and messages.
 *
 * A call returns 0 or a negative code. It fills the tacho_error it was given (NULL is
 * accepted everywhere) on failure only, and never allocates to say why. The library prints nothing,
 * except a failure that no call can return: see tacho_set_message_handler().
 */
#ifndef TACHO_ERROR_H
#define TACHO_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"

TACHO_BEGIN_DECLS

/** What went wrong, by kind. Values are stable. */
enum tacho_status {
    TACHO_OK = 0,
    TACHO_EINVAL = -1,       /**< the caller gave something that is not allowed */
    TACHO_ENOMEM = -2,       /**< out of memory */
    TACHO_EPARSE = -3,       /**< the input is not what it should be */
    TACHO_EIO = -4,          /**< the system refused; system_errno says why */
    TACHO_ELIMIT = -5,       /**< larger than a stated limit */
    TACHO_EUNSUPPORTED = -6, /**< this machine or build cannot do it */
    TACHO_EALREADY = -7      /**< done before; what was there stays */
};

/** A failure. Plain data: copy it, keep it on the stack, nothing to free. */
typedef struct tacho_error {
    int code;          /**< one of tacho_status */
    int system_errno;  /**< errno of the call that failed, or 0 */
    uint64_t line;     /**< line of the input, from 1; 0 when it is not about a line */
    uint64_t column;   /**< byte in that line, from 1; 0 when it is not known */
    uint64_t offset;   /**< byte in the input, from 0; meaningful where column is */
    char message[228]; /**< one sentence, no line break, always terminated, UTF-8 */
    int kind;          /**< more than `code` says: a value of the enum that the failing function
                            names, such as tacho_flame_error; 0: nothing more */
} tacho_error;

/** The name of a status code, such as "TACHO_EPARSE"; "unknown" for any other number. */
TACHO_API const char *tacho_status_name(int status);

/**
 * Writes the error as one text: "line 3: model must be non-empty", or the message alone when it is
 * not about a line.
 *
 * @param out   terminated by NUL; truncated to size, for which TACHO_ERROR_TEXT is always enough
 * @return out
 */
TACHO_API const char *tacho_error_text(const tacho_error *err, char *out, size_t size);
#define TACHO_ERROR_TEXT 264

/** Gets a message without a line feed, valid during the call, and the ctx of
    tacho_set_message_handler(). Any thread may call it. */
typedef void tacho_message_handler(const char *message, void *ctx);

/**
 * Sets the function that gets the messages of the library; NULL: standard error. There is a message
 * only for a failure that no call returns: a file for profile events that the environment names and
 * that cannot be opened at first use.
 */
TACHO_API void tacho_set_message_handler(tacho_message_handler *handler, void *ctx);

TACHO_END_DECLS

#endif
