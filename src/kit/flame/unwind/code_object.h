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

enum { TCH_ENTRY_BYTES = 48 }; /**< length of _start, the code that a program starts with */

struct tch_code_object {
    enum tch_code_object_kind kind;
    uint32_t pid;     /**< where it was seen first; of a JIT: its process */
    char *path;       /**< of a file: as the process sees it */
    uint64_t inode;   /**< of a file; 0: not known */
    uint32_t program; /**< of a JIT: its process's number in struct tch_flame_programs */
    struct tch_elf elf;
    struct tch_cfi cfi;
    struct tch_cfi debug_cfi; /* for code that .eh_frame does not cover */
    bool debug_tried;
    bool loaded; /**< tch_code_object_load() was called */
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
 * Finds or adds the object of a mapping. Returns its number; TCH_INTERN_NONE: no memory.
 *
 * @param name   as the kernel gives it: a path, "[vdso]", "//anon"
 * @param inode  distinguishes a file from a later one of the same path
 */
uint32_t tch_code_objects_add(struct tch_code_objects *objects, const char *name, uint64_t inode,
                              uint32_t pid);

/** Opens the file and reads its unwind information, once; false: no memory. `usable` says whether
    there is an ELF file. */
bool tch_code_object_load(struct tch_code_object *object);

/** Finds how to unwind from an address, in .eh_frame or, if that has nothing, in .debug_frame of
   the file or of its debug file; false: not known. */
bool tch_code_object_row(struct tch_code_object *object, uint64_t addr, struct tch_cfi_row *ret);

/** Returns whether this is the code that a program starts with, which has no caller. */
bool tch_code_object_is_entry(const struct tch_code_object *object, uint64_t addr);

/** Returns the address, as linked, of a byte of the mapped file. */
uint64_t tch_code_object_address(const struct tch_code_object *object, uint64_t offset);

/** Number 0 is no place: it marks a stack that could not be followed any further. */
enum { TCH_PLACE_CUT = 0 };

struct tch_code_place {
    uint64_t addr; /**< as linked; of a caller: one before the return address */
    uint32_t object;
    uint32_t row; /* 0: not searched yet, 1: none, else its number in rows plus 2 */
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

/** Finds or adds a place. Returns its number; TCH_INTERN_NONE: no memory. */
uint32_t tch_code_places_add(struct tch_code_places *places, uint32_t object, uint64_t addr);

/** Finds how to unwind from a place. @return 1; 0: not known; -1: no memory */
int tch_code_places_row(struct tch_code_places *places, uint32_t id, struct tch_code_object *object,
                        struct tch_cfi_row *ret);

#endif
