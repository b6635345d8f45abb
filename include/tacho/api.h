/*
 * Macros of public declarations: C linkage, exported symbols, results that must be checked.
 */
#ifndef TACHO_API_H
#define TACHO_API_H

#ifdef __cplusplus
#define TACHO_BEGIN_DECLS extern "C" {
#define TACHO_END_DECLS   }
#else
#define TACHO_BEGIN_DECLS
#define TACHO_END_DECLS
#endif

#if defined(__GNUC__)
/** Exports a function or variable from the library. */
#define TACHO_API __attribute__((visibility("default")))
/** Makes the compiler warn when a caller ignores the result. */
#define TACHO_MUST_CHECK __attribute__((warn_unused_result))
#else
#define TACHO_API
#define TACHO_MUST_CHECK
#endif

#endif
