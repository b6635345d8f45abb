/*
 * The marks that every public declaration carries. No function lives here.
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
/** Exported from libtacho. */
#define TACHO_API __attribute__((visibility("default")))
/** Ignoring the result is a compiler warning. */
#define TACHO_MUST_CHECK __attribute__((warn_unused_result))
#else
#define TACHO_API
#define TACHO_MUST_CHECK
#endif

#endif
