/*
 * Settings: each binds a name to a field of a struct, with the kind and the limits of its value.
 * The command line and YAML files fill structs by the same settings.
 */
#ifndef TCH_SETTING_H
#define TCH_SETTING_H

#include <stddef.h>
#include <stdint.h>

enum tch_setting_kind {
    TCH_SET_TEXT,     /**< const char *, borrowed */
    TCH_SET_FLAG,     /**< bool; takes no text and becomes true */
    TCH_SET_BITS,     /**< uint32_t; takes no text and gets the bits of `most` */
    TCH_SET_U64,      /**< uint64_t */
    TCH_SET_U32,      /**< uint32_t, or int32_t when `most` fits */
    TCH_SET_CHOICE,   /**< an enum: the index in `choices` */
    TCH_SET_SHARE,    /**< double above 0 and up to 1: "5%" or "0.05" */
    TCH_SET_DURATION, /**< uint64_t nanoseconds: "250ms" */
    TCH_SET_SIZE,     /**< uint64_t bytes: "64k" */
};

struct tch_setting {
    const char *name; /**< the key in a YAML file; or NULL */
    enum tch_setting_kind kind;
    size_t offset;              /**< where the field is in the struct */
    uint64_t least;             /**< smallest number, duration or size */
    uint64_t most;              /**< 0: no limit */
    const char *const *choices; /**< NULL-terminated */
    const char *wants; /**< the allowed values, for messages: "a number from 1 to 9"; or NULL */
};

/** Sets the field in `into`. text is NULL for a flag or bits.
    Returns 0, or TACHO_EINVAL if the text is not allowed; the field is then unchanged. */
int tch_setting_parse(const struct tch_setting *s, const char *text, void *into);

#endif
