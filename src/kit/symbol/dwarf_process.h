/*
 * The process that reads debug information, and the protocol. dwarf_child.c starts it and sends
 * requests; dwarf_process.c is the process.
 *
 *     parent                                 process
 *     OPEN, file                         ->  tch_dwarf_open()
 *     FIND, queries                      ->  tch_dwarf_find() for each query
 *                                        <-  length, then the functions of all queries
 *     NAME, text                         ->  tch_demangle()
 *                                        <-  length, then the text
 *
 * The process has no privileges and no descriptors except the socket and the files that it
 * receives. Its limits of memory and CPU time grow with the data of those files,
 * without holes, up to a limit. A page shared with
 * the parent contains the number of the object that the process is reading, so that the parent can
 * explain its death.
 */
#ifndef TCH_DWARF_PROCESS_H
#define TCH_DWARF_PROCESS_H

#include <stdint.h>

enum { TCH_DWARF_OPEN = 1, TCH_DWARF_FIND = 2, TCH_DWARF_NAME = 3 };

enum {
    TCH_DWARF_REPLY_MAX = 64 << 20,
    TCH_DWARF_NAME_LONGEST = 1 << 16, /**< bytes of a name in a request or an answer */
};

/** The length that means "no text". */
#define TCH_DWARF_NO_TEXT UINT32_MAX

struct tch_dwarf_request {
    uint32_t kind;
    uint32_t object; /**< OPEN: number of the object */
    uint32_t count;  /**< FIND: number of queries that follow; NAME: number of bytes */
    uint32_t lines;
};

/** Serves requests in this process until the socket is closed. `object` is in the shared page. */
_Noreturn void tch_dwarf_process_serve(int socket, uint32_t *object);

#endif
