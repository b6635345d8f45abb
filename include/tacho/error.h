/*
 * Status codes, error descriptions and the handler of messages.
 *
 * A function that can fail returns 0 or more on success and a negative status code on failure. On
 * failure only, it fills in the tacho_error that the caller passed, without allocating. NULL is
 * accepted in its place everywhere. The library prints only failures that no function can return:
 * see tacho_set_message_handler(). At exit it reports on standard error a trace that could not be
 * written.
 */
#ifndef TACHO_ERROR_H
#define TACHO_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"

TACHO_BEGIN_DECLS

/** The kind of a failure. Values are stable. */
enum tacho_status {
    TACHO_OK = 0,
    TACHO_EINVAL = -1,       /**< an argument is invalid */
    TACHO_ENOMEM = -2,       /**< out of memory */
    TACHO_EPARSE = -3,       /**< the input is malformed */
    TACHO_EIO = -4,          /**< a system call failed; system_errno says why */
    TACHO_ELIMIT = -5,       /**< larger than a documented limit */
    TACHO_EUNSUPPORTED = -6, /**< not available on this machine or in this build */
    TACHO_EALREADY = -7      /**< already done; nothing was changed */
};

/** Describes a failure. It is plain data: it may be copied, and needs no freeing. */
typedef struct tacho_error {
    int code;          /**< one of tacho_status */
    int system_errno;  /**< errno of the call that failed, or 0 */
    uint64_t line;     /**< line of the input, from 1; 0: the failure is not about a line */
    uint64_t column;   /**< byte in that line, from 1; 0: not known */
    uint64_t offset;   /**< byte in the input, from 0; valid when column is not 0 */
    char message[228]; /**< one sentence, no line break, always terminated, UTF-8 */
    int kind; /**< details of `code`: a value of the enum that the failing function documents, such
                 as tacho_flame_error; 0: no details */
} tacho_error;

/** Returns the name of a status code, such as "TACHO_EPARSE"; "unknown" for any other number. */
TACHO_API const char *tacho_status_name(int status);

/**
 * Writes the error as one text: "line 3: model must be non-empty". Without a line, writes only the
 * message.
 *
 * @param out   terminated by NUL; truncated to size, for which TACHO_ERROR_TEXT is always enough
 * @return out
 */
TACHO_API const char *tacho_error_text(const tacho_error *err, char *out, size_t size);
#define TACHO_ERROR_TEXT 264

/** Receives a message without a line feed, valid during the call, and the ctx of
    tacho_set_message_handler(). Any thread may call it. */
typedef void tacho_message_handler(const char *message, void *ctx);

/**
 * Sets the function that receives the messages of the library; NULL: print them on standard error.
 * Today there are two such messages: the file for profile events that the environment names could
 * not be opened at first use, and the program closed the descriptor of the events or of the trace,
 * whose file could not be opened again. Traces that cannot be written at exit are always reported
 * on standard error.
 */
TACHO_API void tacho_set_message_handler(tacho_message_handler *handler, void *ctx);

TACHO_END_DECLS

#endif
