/*
 * An ELF file as the capture needs it: which sections it has, and what address a byte of the file
 * has. 64-bit and of this machine's byte order; anything else is "not an ELF file" here.
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

/** Read fd; the rest through the functions. All zero but fd = -1 is none. */
struct tch_elf {
    int fd;              /**< -1: in memory, or closed */
    const uint8_t *data; /* in memory */
    uint64_t size;
    uint64_t entry; /**< where the program starts, or 0 */
    uint16_t machine;
    Elf64_Phdr *segments;
    size_t segment_count;
    Elf64_Shdr *sections;
    size_t section_count;
    char *names; /* of the sections */
    size_t names_len;
};

/** Owns fd, also on failure. */
int tch_elf_open_fd(struct tch_elf *elf, int fd, const char *name, tacho_error *err);
int tch_elf_open(struct tch_elf *elf, const char *path, tacho_error *err);

/** data is borrowed until the release. */
int tch_elf_open_mem(struct tch_elf *elf, const void *data, size_t len, tacho_error *err);
void tch_elf_release(struct tch_elf *elf);

/** Returns the section of that name, or NULL. */
const Elf64_Shdr *tch_elf_section(const struct tch_elf *elf, const char *name);

/** Returns the first section of that SHT_ type, or NULL. */
const Elf64_Shdr *tch_elf_section_type(const struct tch_elf *elf, uint32_t type);

/** Reads a section, inflated if it is compressed. The caller frees it. A NUL follows its bytes.
   NULL: there are none, or they cannot be read. */
void *tch_elf_read(const struct tch_elf *elf, const Elf64_Shdr *section, size_t *len);

/** Finds the address that the byte at a file offset is linked at; false: none. */
bool tch_elf_address(const struct tch_elf *elf, uint64_t offset, uint64_t *ret);

/** Reads the build ID as hexadecimal digits, at most `size` - 1 of them; false: it has none. */
bool tch_elf_build_id(const struct tch_elf *elf, char *ret, size_t size);

#endif
