/*
 * Reads ELF files: their sections, and the linked address of a byte of the file. Files must be
 * 64-bit and in this machine's byte order; any other file counts as "not an ELF file".
 *
 * Sections are read into memory, never mapped: a build may truncate a mapped file, and reading it
 * would then kill this process.
 */
#ifndef TCH_ELF_IMAGE_H
#define TCH_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tacho/error.h>

#include "symbol_budget.h"

/** An ELF file. Callers may read fd and entry, and use functions for the rest. Closed is all zero
    with fd -1. */
struct tch_elf {
    int fd;              /**< -1: the file is in memory, or closed */
    const uint8_t *data; /* the file in memory */
    uint64_t size;
    struct tch_symbol_share *share; /* limits the bytes that are read; NULL: no limit */
    uint64_t entry;                 /**< address of the first instruction of a program, or 0 */
    uint16_t machine;
    Elf64_Phdr *segments;
    size_t segment_count;
    Elf64_Shdr *sections;
    size_t section_count;
    char *names; /* names of the sections */
    size_t names_len;
};

/** Opens a file by its descriptor, which it owns from then on, also on failure. What is read from
   it counts for `share`, which may be NULL. */
int tch_elf_open_fd(struct tch_elf *elf, int fd, const char *name, struct tch_symbol_share *share,
                    tacho_error *err);

/** Opens the regular file at `path`. Nothing else is opened, because opening a device can have an
    effect. */
int tch_elf_open(struct tch_elf *elf, const char *path, tacho_error *err);

/** Like tch_elf_open(), if the file has this inode; 0: any. What is read from it counts for
   `share`, which may be NULL. */
int tch_elf_open_inode(struct tch_elf *elf, const char *path, uint64_t inode,
                       struct tch_symbol_share *share, tacho_error *err);

/** Opens a file in memory. data must stay valid until the release. */
int tch_elf_open_mem(struct tch_elf *elf, const void *data, size_t len, tacho_error *err);
void tch_elf_release(struct tch_elf *elf);

/** Returns the section of that name, or NULL. */
const Elf64_Shdr *tch_elf_section(const struct tch_elf *elf, const char *name);

/** Returns the first section of that SHT_ type, or NULL. */
const Elf64_Shdr *tch_elf_section_type(const struct tch_elf *elf, uint32_t type);

/** Reads a section and inflates it if it is compressed. A NUL follows its bytes. The caller frees
    them. Returns NULL if the section has no bytes, is a hole, cannot be read, or is larger than the
    file's share of memory. */
void *tch_elf_read(const struct tch_elf *elf, const Elf64_Shdr *section, size_t *len);

/** Finds the linked address of the byte at a file offset. Returns false if no executable segment
    contains it. */
bool tch_elf_address(const struct tch_elf *elf, uint64_t offset, uint64_t *ret);

/** Returns whether the dynamic linker starts the program. It does not start a static one. */
bool tch_elf_is_dynamic(const struct tch_elf *elf);

/** Reads the build ID as hexadecimal digits, at most `size` - 1 of them. Returns false if there is
    no build ID. */
bool tch_elf_build_id(const struct tch_elf *elf, char *ret, size_t size);

#endif
