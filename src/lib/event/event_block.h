/*
 * A block is one piece of memory that holds structs for the caller and everything that they point
 * to, so that one free() releases all of it. Fields can be read from JSON into such a block.
 */
#ifndef TCH_EVENT_BLOCK_H
#define TCH_EVENT_BLOCK_H

#include <tacho/event.h>

/** The part of a block that is not used yet. */
struct tch_event_block {
    char *at;
    char *end;
};

/**
 * Makes a block of zeros.
 *
 * @param head  bytes of the structs at its start
 * @param text  bytes for texts. The length of a JSON document is enough for its unescaped strings
 *              and for the raw values of its members, each with a NUL.
 * @return the head, or NULL without memory
 */
void *tch_event_block_new(struct tch_event_block *block, size_t head, size_t text);

/** Copies a text; NULL stays NULL. */
char *tch_event_block_copy(struct tch_event_block *block, const char *text);

/** Copies JSON text unchanged. */
char *tch_event_block_raw(struct tch_event_block *block, tacho_raw raw);

/** Copies a string without its quotes and escapes; NULL for any other value.
    @param ret_len  bytes without the NUL; may be NULL */
char *tch_event_block_unescape(struct tch_event_block *block, tacho_raw raw, size_t *ret_len);

/** Copies a string like tch_event_block_unescape().
    @return 0, or TACHO_EPARSE when it contains a NUL, which would end the C string too early */
int tch_event_block_text(struct tch_event_block *block, tacho_raw raw, const char *name,
                         const char **ret, tacho_error *err);

/** Returns the number of members of an object in canonical form; 0 for any other value. */
size_t tch_fields_count(tacho_raw json);

/** Reads the members of an object in canonical form into `fields`, their texts into the block.
    @return 0, or TACHO_EPARSE for a key with a NUL */
int tch_fields_read(struct tch_event_block *block, tacho_raw json, tacho_field *fields,
                    tacho_error *err);

#endif
