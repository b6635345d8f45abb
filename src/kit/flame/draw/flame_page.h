/*
 * The style and the script of the picture, flame.css and flame.js, put into the program by the
 * build. They are the same in every file, so that a page's policy can allow them by their hash.
 */
#ifndef TCH_FLAME_PAGE_H
#define TCH_FLAME_PAGE_H

#include <stddef.h>

extern const char tch_flame_css[];
extern const size_t tch_flame_css_len;
extern const char tch_flame_js[];
extern const size_t tch_flame_js_len;

#endif
