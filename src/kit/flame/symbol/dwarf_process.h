/*
 * The process that reads debug information, and what it is asked. dwarf_child.c starts it and asks;
 * dwarf_process.c is the process.
 *
 *     parent                                 process
 *     OPEN, file                         ->  tch_dwarf_open()
 *     FIND, queries                      ->  tch_dwarf_find() for each query
 *                                        <-  length, then the functions of all queries
 *     NAME, text                         ->  tch_demangle()
 *                                        <-  length, then the text
 *
 * It has no privileges, no descriptors but the socket and the files that it is sent, and limits of
 * memory and CPU time that grow with the size of those files. The page that both share has the
 * number of the object that it works on, so that a death can be explained.
 */
#ifndef TCH_DWARF_PROCESS_H
#define TCH_DWARF_PROCESS_H

#include <stdint.h>

enum { TCH_DWARF_OPEN = 1, TCH_DWARF_FIND = 2, TCH_DWARF_NAME = 3 };

enum {
    TCH_DWARF_REPLY_MAX = 64 << 20,
    TCH_DWARF_NAME_LONGEST = 1 << 16, /**< bytes of a name, either way */
};

/** The length of a text that there is not. */
#define TCH_DWARF_NO_TEXT UINT32_MAX

struct tch_dwarf_request {
    uint32_t kind;
    uint32_t object; /**< OPEN */
    uint32_t count;  /**< FIND: queries that follow; NAME: bytes */
    uint32_t lines;
};

/** Serves requests until the socket is closed. Runs in a process of its own. object: shared. */
_Noreturn void tch_dwarf_process_serve(int socket, uint32_t *object);

#endif
