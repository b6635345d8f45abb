/*
 * The version of the headers, and of the library that was loaded.
 */
#ifndef TACHO_VERSION_H
#define TACHO_VERSION_H

#include "api.h"

TACHO_BEGIN_DECLS

#define TACHO_VERSION_MAJOR 0
#define TACHO_VERSION_MINOR 1
#define TACHO_VERSION_PATCH 0
#define TACHO_VERSION       "0.1.0"

/** The version of the library in use, such as "0.1.0". */
TACHO_API const char *tacho_version(void);

TACHO_END_DECLS

#endif
