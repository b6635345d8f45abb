/*
 * Says how a process ended, in words and as a shell does.
 */
#ifndef TCH_EXIT_TEXT_H
#define TCH_EXIT_TEXT_H

enum { TCH_EXIT_TEXT = 96 };

/**
 * Writes how a process ended, such as "was killed by signal 11 (Segmentation fault)" or "failed
 * with status 1".
 *
 * @param status  as of waitpid()
 * @param killed  the words before the signal: "was killed by"
 * @param exited  the words before the status: "failed with", or "exited with" if any status may be
 *                a success
 * @return text
 */
const char *tch_exit_text(int status, const char *killed, const char *exited,
                          char text[TCH_EXIT_TEXT]);

/** Returns what a shell would report as the status: that of exit(), or 128 and the signal. */
int tch_exit_code(int status);

#endif
