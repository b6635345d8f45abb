/*
 * Under what a result came about, as a document and as a hash: the benchmark's configuration, any
 * JSON of the user's, a tensor, the machine.
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
    TACHO_ENV_HASH_TEXT = 72 /**< the same behind "sha256:" */
};

/** What a benchmark ran with. Texts end with a NUL and are UTF-8. */
typedef struct tacho_config {
    const char *model_commit;
    const char *weights_hash;
    float lambda;
    uint64_t tau;
    float eps;
    const char *compiler_flags;
} tacho_config;

/**
 * The configuration as compact JSON, fields in the order above: what is hashed.
 *
 * @param ret  ends with a NUL that *len does not count; the caller frees it with free()
 * @param len  may be NULL
 */
TACHO_API TACHO_MUST_CHECK int tacho_config_json(const tacho_config *config, char **ret,
                                                 size_t *len, tacho_error *err);

/** SHA-256 of that. */
TACHO_API TACHO_MUST_CHECK int tacho_config_hash(const tacho_config *config,
                                                 char ret[TACHO_SHA256_TEXT], tacho_error *err);

/**
 * Reads a configuration from JSON, as an object or as an array of its six values, and gives the
 * text of tacho_config_json(). Unknown fields are passed over, missing and double ones refused.
 */
TACHO_API TACHO_MUST_CHECK int tacho_config_parse(const char *data, size_t data_len, char **ret,
                                                  size_t *len, tacho_error *err);

/**
 * Any JSON in the form that is hashed: compact, keys in the order given, numbers in their shortest
 * form, a key that comes twice in an object refused.
 */
TACHO_API TACHO_MUST_CHECK int tacho_json_canonical(const char *data, size_t data_len, char **ret,
                                                    size_t *len, tacho_error *err);

/** SHA-256 of bytes. */
TACHO_API void tacho_sha256(const void *data, size_t len, char ret[TACHO_SHA256_TEXT]);

/** SHA-256 of a tensor: its values as little-endian IEEE floats, one after the other. */
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
 * The machine as a JSON document, "schema":"tacho.env.v1": cpu_model, cpu_count, memory_gib,
 * architecture, kernel, os, libc, compiler, governor, gpus, container, variables. Nothing that
 * changes while the machine idles: no clock speed, no bogomips, no uptime. What cannot be found
 * out is null.
 *
 * variables are those of the environment that start with TACHO_ or FERRUM_, less those that only
 * name a file, a folder, a commit or this hash itself.
 *
 * @param root      before every path that is read; "" for this machine
 * @param compiler  TACHO_COMPILER; or NULL
 * @param ret       the caller frees it with free()
 */
TACHO_API TACHO_MUST_CHECK int tacho_environment(const char *root, const char *compiler, char **ret,
                                                 size_t *len, tacho_error *err);

/** "sha256:" and the SHA-256 of such a document as it stands. */
TACHO_API void tacho_environment_hash(const char *document, size_t len,
                                      char ret[TACHO_ENV_HASH_TEXT]);

/**
 * What baselines are kept by, in letters that are fit for a file name:
 * "intel-xeon-w-2245-16cpu-64gib-x86_64-linux6".
 *
 * @param ret  the caller frees it with free()
 */
TACHO_API TACHO_MUST_CHECK int tacho_machine_class(const char *document, size_t len, char **ret,
                                                   tacho_error *err);

/** A difference: where, and the JSON on both sides, NULL where there is none. */
typedef int tacho_diff_fn(const char *path, const char *a, const char *b, void *ctx);

/**
 * Compares two JSON documents field by field, in the order of the paths ("gpus[0].name").
 *
 * @param each  called for each difference; anything but 0 ends the comparing and is returned
 * @return 0, what `each` returned, TACHO_ENOMEM, or TACHO_EPARSE
 */
TACHO_API TACHO_MUST_CHECK int tacho_json_diff(const char *a, size_t a_len, const char *b,
                                               size_t b_len, tacho_diff_fn *each, void *ctx,
                                               tacho_error *err);

TACHO_END_DECLS

#endif
