/*
 * Reads an XML document as events, by libexpat, which is loaded when it is first needed.
 *
 * A document with a DOCTYPE is refused: it could define entities that expand to gigabytes.
 */
#ifndef TCH_XML_EVENTS_H
#define TCH_XML_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

struct tch_xml_handler {
    /** Begins an element. The attributes are pairs of name and value, ended by NULL. */
    void (*begin)(void *ctx, const char *name, const char *const *attributes, uint64_t line);
    void (*end)(void *ctx, const char *name);
    void *ctx;
};

/** Reads a whole document. Returns 0, TACHO_EPARSE with the line, TACHO_ENOMEM, or
    TACHO_EUNSUPPORTED if libexpat is not installed. */
int tch_xml_events(const char *text, size_t len, const struct tch_xml_handler *handler,
                   tacho_error *err);

/** Returns the value of an attribute, or "". */
const char *tch_xml_attribute(const char *const *attributes, const char *name);

#endif
