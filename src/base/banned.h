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

/* No bound on what they write. tch_buf_* or snprintf. */
#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf stpcpy gets
/* "abc" is 0, and 0 means something. tch_parse_*. */
#pragma GCC poison atoi atol atoll atof strtol strtoul strtoll strtoull
/* Hidden shared state. The *_r forms. */
#pragma GCC poison strtok localtime gmtime ctime asctime strerror
/* A name is not a file. tch_file_*. */
#pragma GCC poison tmpnam tempnam mktemp

#endif
