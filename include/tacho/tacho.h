/*
 * Everything libtacho offers. Include this, or the one header you need.
 */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include "error.h"   /* IWYU pragma: export */
#include "trace.h"   /* IWYU pragma: export */
#include "version.h" /* IWYU pragma: export */

#endif
