/*
 * Where the frames of a capture come from: the address of each, its file, and its source lines. The
 * stacks of a profile contain names only, and equal names of different addresses are one frame.
 */
#ifndef TCH_ORIGINS_H
#define TCH_ORIGINS_H

#include "stacks.h"

enum { TCH_BUILD_ID_TEXT = 64 };

/** A file with code, as linked. */
struct tch_origin_file {
    char *path;
    char build_id[TCH_BUILD_ID_TEXT]; /**< "": unknown */
    uint64_t start, limit;            /**< of its first executable segment */
    uint64_t offset;                  /**< of that segment in the file */
};

/** A function at a location. */
struct tch_origin_line {
    uint32_t function; /**< number of its name in the profile's stacks */
    uint32_t source;   /**< 1 + number of the path of its source file; 0: unknown */
    uint32_t line;     /**< 0: unknown */
};

/** A frame: an address and the functions there, of which all but the first one are inlined. */
struct tch_origin {
    uint64_t address;   /**< as linked; of a caller: within the call; 0: not code */
    uint32_t file;      /**< 1 + number of the file; 0: none */
    uint32_t at, count; /**< range of lines */
};

/** All zero is empty. */
struct tch_origins {
    struct tch_stacks stacks; /**< the frames are numbers of origins */
    struct tch_origin *list;
    size_t count, cap;
    struct tch_origin_line *lines;
    size_t line_count, line_cap;
    struct tch_origin_file *files;
    size_t file_count;
    struct tch_intern sources; /**< paths of source files */
};

void tch_origins_release(struct tch_origins *origins);

/** Appends an origin without lines. Returns 0 or TACHO_ENOMEM. */
int tch_origins_add(struct tch_origins *origins, uint64_t address, uint32_t file);

/** Adds a line to the last origin. Returns 0 or TACHO_ENOMEM. */
int tch_origins_add_line(struct tch_origins *origins, const struct tch_origin_line *line);

#endif
