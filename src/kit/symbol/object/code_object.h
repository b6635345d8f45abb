/*
 * The objects that code is in: program files and libraries, the vdso, the kernel, the memory that a
 * JIT filled.
 */
#ifndef TCH_CODE_OBJECT_H
#define TCH_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "elf_image.h"
#include "kit/symbol/unwind/unwind.h"

enum tch_code_object_kind {
    TCH_OBJECT_UNKNOWN, /**< number 0: code outside of all known mappings */
    TCH_OBJECT_KERNEL,  /**< number 1 */
    TCH_OBJECT_FILE,
    TCH_OBJECT_VDSO,
    TCH_OBJECT_JIT, /**< anonymous memory of one process */
};

enum { TCH_OBJECT_NOWHERE = 0, TCH_OBJECT_THE_KERNEL = 1 };

enum { TCH_ENTRY_BYTES = 48 }; /**< length of _start, the code that a program starts with */

struct tch_code_object {
    enum tch_code_object_kind kind;
    uint32_t pid; /**< process that it was first seen in; for a JIT: its process */
    /** For a JIT whose process has our /tmp: tch_inner_pid() of it; else 0. */
    uint32_t inner_pid;
    char *path;     /**< for a file: its path in the process's mounts */
    uint64_t inode; /**< for a file; 0: unknown */
    /** For a JIT: the number of its process's program in struct tch_flame_programs. */
    uint32_t program;
    struct tch_elf elf;
    struct tch_symbol_share share; /**< of the memory for symbols and unwind tables */
    struct tch_cfi cfi;
    struct tch_cfi debug_cfi; /* for code that .eh_frame does not cover */
    bool debug_tried;
    bool loaded; /**< tch_code_object_load() was called */
    bool usable; /**< elf is open */
};

/** All objects of a capture. Initialise by tch_code_objects_init(). An object never
    moves. The list itself must not move either once it has objects. */
struct tch_code_objects {
    struct tch_intern keys;
    struct tch_symbol_budget budget;
    struct tch_code_object **list;
    size_t count;
    size_t cap;
};

/** Initialises the list. Returns false if memory runs out. Call the release function in any
    case. */
bool tch_code_objects_init(struct tch_code_objects *objects);
void tch_code_objects_release(struct tch_code_objects *objects);

/**
 * Finds or adds the object of a mapping. Returns its number, or TCH_INTERN_NONE if memory runs out.
 *
 * @param name   as the kernel reports it: a path, "[vdso]", "//anon"
 * @param inode  distinguishes a file from a later one of the same path
 */
uint32_t tch_code_objects_add(struct tch_code_objects *objects, const char *name, uint64_t inode,
                              uint32_t pid);

/** Returns the id of a process in its own PID namespace, by which its runtime names files, or `pid`
   if that is not known. */
uint32_t tch_inner_pid(uint32_t pid);

/** Opens the file and reads its unwind information at the first call. `usable` says whether it is
    an ELF file. Returns false if memory runs out. */
bool tch_code_object_load(struct tch_code_object *object);

/** Finds how to unwind from an address: in .eh_frame or, if that does not cover it, in .debug_frame
    of the file or of its debug file. Returns false if neither does. */
bool tch_code_object_row(struct tch_code_object *object, uint64_t addr, struct tch_cfi_row *ret);

/** Returns whether the address is in the entry code of a program, which has no caller. */
bool tch_code_object_is_entry(const struct tch_code_object *object, uint64_t addr);

/** Returns the linked address of a byte of the mapped file. */
uint64_t tch_code_object_address(const struct tch_code_object *object, uint64_t offset);

#endif
