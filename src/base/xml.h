/*
 * Text in XML and HTML.
 */
#ifndef TCH_XML_H
#define TCH_XML_H

#include "buf.h"

/** Adds any bytes as character data, fit for attributes, too. Characters that may not be shown
    become U+FFFD, as tch_utf8_shown() has them. Line feeds stay. */
void tch_xml_add(struct tch_buf *b, const char *text, size_t len);
void tch_xml_adds(struct tch_buf *b, const char *text);

/** Like tch_xml_add(), for names: a line feed becomes U+FFFD, too. */
void tch_xml_add_line(struct tch_buf *b, const char *text, size_t len);

#endif
