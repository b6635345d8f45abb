/*
 * Documents and hashes that identify the conditions of a result: the configuration of a benchmark,
 * any JSON document, a tensor, the machine.
 */
#ifndef TACHO_FINGERPRINT_H
#define TACHO_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

#include "api.h"
#include "error.h"

TACHO_BEGIN_DECLS

enum {
    TACHO_SHA256_TEXT = 65,  /**< 64 lower-case digits and a NUL */
    TACHO_ENV_HASH_TEXT = 72 /**< "sha256:", 64 digits and a NUL */
};

/** The configuration of a benchmark. Texts are UTF-8, terminated by NUL. */
typedef struct tacho_config {
    const char *model_commit;
    const char *weights_hash;
    float lambda;
    uint64_t tau;
    float eps;
    const char *compiler_flags;
} tacho_config;

/**
 * Writes the configuration as compact JSON, fields in the order above. tacho_config_hash() hashes
 * this text. A lambda or eps that is NaN or infinite becomes null, as in ruvector-profiler, so
 * check the values before the call.
 *
 * @param ret      set on success only, terminated by NUL; the caller frees it with free()
 * @param ret_len  bytes without the NUL; may be NULL
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_config_to_json(const tacho_config *config, char **ret,
                                                    size_t *ret_len, tacho_error *err);

/** Computes the SHA-256 of tacho_config_to_json(). Returns 0 or TACHO_ENOMEM. */
TACHO_API TACHO_MUST_CHECK int tacho_config_hash(const tacho_config *config,
                                                 char ret[TACHO_SHA256_TEXT], tacho_error *err);

/**
 * Reads a configuration from JSON, an object or an array of its six values, and writes the text of
 * tacho_config_to_json(). Unknown fields are ignored. Missing and repeated fields are refused, and
 * so is a number too large for a 32-bit float.
 *
 * @param ret  as of tacho_config_to_json()
 * @return 0, TACHO_EPARSE, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_config_canonical(const char *data, size_t len, char **ret,
                                                      size_t *ret_len, tacho_error *err);

/**
 * Writes any JSON in the form that is hashed: compact, keys in the order given, strings with as few
 * escapes as possible. A number gets the shortest form of a double if that is the same number, and
 * keeps its text otherwise (1e400, 18446744073709551617). So two documents have the same form only
 * if they differ in nothing but white space, escapes and the notation of numbers. A key that occurs
 * twice in an object is refused.
 *
 * @param ret  as of tacho_config_to_json()
 * @return 0, TACHO_EPARSE, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_json_canonical(const char *data, size_t len, char **ret,
                                                    size_t *ret_len, tacho_error *err);

/** Computes the SHA-256 of bytes. */
TACHO_API void tacho_sha256(const void *data, size_t len, char ret[TACHO_SHA256_TEXT]);

/** Computes the SHA-256 of a tensor: its values in order, as little-endian IEEE floats. */
TACHO_API void tacho_tensor_hash(const float *values, size_t n, char ret[TACHO_SHA256_TEXT]);

/** The compiler of the program that includes this. */
#if defined(__clang__)
#define TACHO_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define TACHO_COMPILER "gcc " __VERSION__
#else
#define TACHO_COMPILER "unknown"
#endif

/**
 * Describes the machine as a JSON document, "schema":"tacho.env.v1": cpu_model, cpu_count,
 * memory_gib, architecture, kernel, os, libc, compiler, governor, gpus, container, variables. It
 * contains nothing that changes while the machine idles: no clock speed, no bogomips, no uptime.
 * Unknown values are null.
 *
 * "variables" has the environment variables that start with TACHO_ or FERRUM_, except those that
 * only name a file, a folder, a commit or this hash. The value of a variable whose name looks like
 * that of a secret, such as TACHO_API_TOKEN, is replaced by "masked:" and the first 8 digits of its
 * SHA-256.
 *
 * @param compiler  TACHO_COMPILER; or NULL
 * @param ret       as of tacho_config_to_json()
 * @return 0 or TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_environment(const char *compiler, char **ret, size_t *ret_len,
                                                 tacho_error *err);

/** Computes "sha256:" and the SHA-256 of the bytes of such a document. */
TACHO_API void tacho_environment_hash(const char *document, size_t len,
                                      char ret[TACHO_ENV_HASH_TEXT]);

/**
 * Computes the machine class of such a document, which baselines are stored by, as text for a file
 * name: "intel-xeon-w-2245-16cpu-64gib-x86_64-linux6". It is "unknown" when the number of CPUs, the
 * memory, the architecture or the kernel is null in the document.
 *
 * @param ret  set on success only, terminated by NUL; the caller frees it with free()
 * @return 0, TACHO_EPARSE, TACHO_ENOMEM
 */
TACHO_API TACHO_MUST_CHECK int tacho_machine_class(const char *document, size_t len, char **ret,
                                                   tacho_error *err);

/** Receives a difference: its path and the JSON of both sides, NULL where the value is missing.
    Returns 0 to continue. */
typedef int tacho_diff_fn(const char *path, const char *a, const char *b, void *ctx);

/**
 * Compares two JSON documents field by field, in the order of the paths ("gpus[0].name"). A name
 * that is empty or contains a dot, a bracket or an escape is quoted in the path (a."x.y").
 *
 * @param each  called for each difference; any value but 0 stops the comparison and is returned
 * @return 0, what `each` returned, TACHO_ENOMEM, or TACHO_EPARSE
 */
TACHO_API TACHO_MUST_CHECK int tacho_json_diff(const char *a, size_t a_len, const char *b,
                                               size_t b_len, tacho_diff_fn *each, void *ctx,
                                               tacho_error *err);

TACHO_END_DECLS

#endif
