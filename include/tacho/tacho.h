/*
 * Includes all headers of libtacho. A program may include single headers instead.
 */
#ifndef TACHO_TACHO_H
#define TACHO_TACHO_H

#include "chrome.h"      /* IWYU pragma: export */
#include "csv.h"         /* IWYU pragma: export */
#include "error.h"       /* IWYU pragma: export */
#include "event.h"       /* IWYU pragma: export */
#include "field.h"       /* IWYU pragma: export */
#include "fingerprint.h" /* IWYU pragma: export */
#include "latency.h"     /* IWYU pragma: export */
#include "memory.h"      /* IWYU pragma: export */
#include "power.h"       /* IWYU pragma: export */
#include "trace.h"       /* IWYU pragma: export */
#include "version.h"     /* IWYU pragma: export */
#include "witness.h"     /* IWYU pragma: export */

#endif
