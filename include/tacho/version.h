/*
 * The version of these headers, and of the library in use.
 */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#include "api.h"

TACHO_BEGIN_DECLS

#define TACHO_VERSION_MAJOR 0
#define TACHO_VERSION_MINOR 1
#define TACHO_VERSION_PATCH 0
#define TACHO_VERSION       "0.1.0"

/** The version as a number that grows: major * 1000000 + minor * 1000 + patch. */
#define TACHO_VERSION_NUMBER \
    (TACHO_VERSION_MAJOR * 1000000 + TACHO_VERSION_MINOR * 1000 + TACHO_VERSION_PATCH)

/** Returns the version of the library in use, such as "0.1.0". */
TACHO_API const char *tacho_version(void);

/** Returns the version of the library in use, to compare it with TACHO_VERSION_NUMBER. */
TACHO_API int tacho_version_number(void);

TACHO_END_DECLS

#endif
