/*
 * Text in XML and HTML.
 */
#ifndef TCH_XML_H
#define TCH_XML_H

#include "base/buf.h"

/** Adds any bytes as character data, also valid in attributes. Characters that cannot be shown
    become U+FFFD, as in tch_utf8_shown(). Line feeds stay. */
void tch_xml_add(struct tch_buf *b, const char *text, size_t len);
void tch_xml_adds(struct tch_buf *b, const char *text);

/** Like tch_xml_add(), for names: a line feed becomes U+FFFD, too. */
void tch_xml_add_line(struct tch_buf *b, const char *text, size_t len);

/** Like tch_xml_adds(), for the value of an attribute: a line feed becomes &#10;, because a parser
    reads a plain one as a space. */
void tch_xml_add_attribute(struct tch_buf *b, const char *text);

#endif
