/*
 * Functions that this project does not call, forced into every C source by the build.
 * The headers that declare them come first: a poisoned name may not even be declared later.
 */
#ifndef TCH_BANNED_H
#define TCH_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* These write without a bound. Use tch_buf_* or snprintf(). */
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf stpcpy gets
/* These return 0 for "abc" as for "0". Use tch_parse_*(). */
#pragma GCC poison atoi atol atoll atof strtol strtoul strtoll strtoull
/* These have hidden shared state. Use the *_r forms. */
#pragma GCC poison strtok localtime gmtime ctime asctime strerror
/* These return a name that another process can take before the file is created. Use
   tch_file_*(). */
#pragma GCC poison tmpnam tempnam mktemp

#endif
