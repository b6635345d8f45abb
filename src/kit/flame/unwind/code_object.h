/*
 * Code: the objects that it is from (program files and libraries, the vdso, the kernel, the memory
 * that a JIT filled) and the places in them. A place is one address of one object. Each distinct
 * place is known by a small number, with how to unwind from it.
 */
#ifndef TCH_CODE_OBJECT_H
#define TCH_CODE_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "elf_image.h"
#include "unwind.h"

enum tch_code_object_kind {
    TCH_OBJECT_UNKNOWN, /**< number 0: code from nowhere */
    TCH_OBJECT_KERNEL,  /**< number 1 */
    TCH_OBJECT_FILE,
    TCH_OBJECT_VDSO,
    TCH_OBJECT_JIT, /**< anonymous memory of one process */
};

enum { TCH_OBJECT_NOWHERE = 0, TCH_OBJECT_THE_KERNEL = 1 };

enum { TCH_ENTRY_BYTES = 48 }; /**< of the code that a program starts with, _start */

struct tch_debug_frame;

struct tch_code_object {
    enum tch_code_object_kind kind;
    uint32_t pid;   /**< where it was seen first; of a JIT: whose it is */
    char *path;     /**< of a file: as the process sees it */
    uint64_t inode; /**< of a file; 0: not known */
    struct tch_elf elf;
    struct tch_cfi cfi;
    struct tch_debug_frame *debug_frame; /* for code that .eh_frame does not know */
    bool debug_tried;
    bool loaded; /**< tried, at least */
    bool usable; /**< elf is open */
};

/** All zero but initialised by tch_code_objects_init(). Objects stay where they are. */
struct tch_code_objects {
    struct tch_intern keys;
    struct tch_code_object **list;
    size_t count;
    size_t cap;
};

/** False: no memory; release in any case. */
bool tch_code_objects_init(struct tch_code_objects *objects);
void tch_code_objects_release(struct tch_code_objects *objects);

/**
 * The number of the object that a mapping is of, new or known; -1: no memory.
 *
 * @param name   as the kernel gives it: a path, "[vdso]", "//anon"
 * @param inode  tells a file from a later one of the same path
 */
uint32_t tch_code_objects_add(struct tch_code_objects *objects, const char *name, uint64_t inode,
                              uint32_t pid);

/** Opens the file and reads its unwind information, once; false: no memory. That there is no such
    file, or that it is no ELF file, shows in `usable`. */
bool tch_code_object_load(struct tch_code_object *object);

/** How to unwind from an address, by .eh_frame or, for what that leaves out, by .debug_frame, of
   the file or of its debug file; false: not known. */
bool tch_code_object_row(struct tch_code_object *object, uint64_t addr, struct tch_cfi_row *ret);

/** Is this the code that a program starts with? It has no caller, whether it says so or not. */
bool tch_code_object_is_entry(const struct tch_code_object *object, uint64_t addr);

/** The address, as linked, of a byte of the mapped file. */
uint64_t tch_code_object_address(const struct tch_code_object *object, uint64_t offset);

/** Number 0 is none: where a stack could not be followed any further. */
enum { TCH_PLACE_CUT = 0 };

struct tch_code_place {
    uint64_t addr; /**< as linked; of a caller: one before the return address */
    uint32_t object;
    uint32_t row; /* 0: not looked for, 1: none, else in rows, plus 2 */
};

/** All zero but initialised by tch_code_places_init(). */
struct tch_code_places {
    struct tch_intern keys;
    struct tch_intern rows; /* distinct ones */
    struct tch_code_place *list;
    size_t count;
    size_t cap;
};

bool tch_code_places_init(struct tch_code_places *places);
void tch_code_places_release(struct tch_code_places *places);

/** The number of a place; -1: no memory. */
uint32_t tch_code_places_add(struct tch_code_places *places, uint32_t object, uint64_t addr);

/** 1 and how to unwind from there; 0: nothing is known of that; -1: no memory. */
int tch_code_places_row(struct tch_code_places *places, uint32_t id, struct tch_code_object *object,
                        struct tch_cfi_row *ret);

#endif
