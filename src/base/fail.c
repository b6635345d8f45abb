/* Fills tacho_error; no other file does. */
#include "fail.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>

#include "utf8.h"

/* Makes the message one line of valid UTF-8, whatever was formatted into it: removes a character
   that the end of the array truncated, replaces control bytes by blanks and invalid bytes by
   '?'. */
static void tidy(char *message)
{
    size_t len = strlen(message);
    size_t last = len > 0 ? len - 1 : 0; /* where the last character starts */

    while (last > 0 && len - last < 4 && tch_utf8_is_tail(message[last]))
        last--;
    if (len > 0 && tch_utf8_step(message + last, len - last) == 0)
        len = last;
    message[len] = '\0';
    for (size_t i = 0; i < len;) {
        size_t step = tch_utf8_step(message + i, len - i);
        unsigned char c = (unsigned char)message[i];

        if (step == 0)
            message[i] = '?';
        else if (c < 0x20 || c == 0x7F)
            message[i] = ' ';
        i += step > 0 ? step : 1;
    }
}

/* Formats the sentence, then `why`. Room is kept for the reason, because it matters more than a
   long name. */
static void fill(tacho_error *err, const char *why, const char *fmt, va_list args)
{
    size_t room = sizeof err->message - strlen(why);
    size_t len;

    vsnprintf(err->message, room, fmt, args);
    tidy(err->message);
    len = strlen(err->message);
    snprintf(err->message + len, sizeof err->message - len, "%s", why);
}

int tch_fail(tacho_error *err, int code, uint64_t line, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return code;
    *err = (tacho_error){.code = code, .line = line};
    va_start(args, fmt);
    fill(err, "", fmt, args);
    va_end(args);
    return code;
}

const char *tch_error_text(int number, char room[TCH_ERROR_TEXT])
{
#if defined(__GLIBC__) /* its strerror_r() returns the text; that of POSIX returns a status */
    return strerror_r(number, room, TCH_ERROR_TEXT);
#else
    return strerror_r(number, room, TCH_ERROR_TEXT) == 0 ? room : "unknown error";
#endif
}

int tch_fail_errno(tacho_error *err, int number, const char *fmt, ...)
{
    int code = number == ENOMEM ? TACHO_ENOMEM : TACHO_EIO;
    char text[TCH_ERROR_TEXT];
    char why[96];
    va_list args;

    if (!err)
        return code;
    *err = (tacho_error){.code = code, .system_errno = number};
    snprintf(why, sizeof why, ": %s", tch_error_text(number, text));
    va_start(args, fmt);
    fill(err, why, fmt, args);
    va_end(args);
    return code;
}

int tch_fail_memory(tacho_error *err)
{
    return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
}

const char *tacho_error_text(const tacho_error *err, char *out, size_t size)
{
    if (err->line > 0)
        snprintf(out, size, "line %" PRIu64 ": %s", err->line, err->message);
    else
        snprintf(out, size, "%s", err->message);
    if (size > 0)
        tidy(out);
    return out;
}

const char *tacho_status_name(int status)
{
    static const char *const names[] = {
        "TACHO_OK",  "TACHO_EINVAL", "TACHO_ENOMEM",       "TACHO_EPARSE",
        "TACHO_EIO", "TACHO_ELIMIT", "TACHO_EUNSUPPORTED", "TACHO_EALREADY",
    };
    bool known = status <= 0 && status > -(int)(sizeof names / sizeof names[0]);

    return known ? names[-status] : "unknown";
}

int tch_fail_again(tacho_error *err, const tacho_error *why)
{
    if (err)
        *err = *why;
    return why->code;
}
