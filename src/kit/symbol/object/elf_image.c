/* Reads ELF headers and checks every offset and size in them before use. */
#include "elf_image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/file.h"
#include "kit/file/gzip.h"

enum {
    SECTION_MAX = 512 << 20, /* largest section that is read, in bytes */
    INFLATED_MAX = 64 << 20, /* largest compressed section after inflation, in bytes */
    HEADERS_MAX = 1 << 16,
};

static bool read_at(const struct tch_elf *elf, uint64_t offset, void *ret, size_t len)
{
    size_t got = 0;

    if (offset > elf->size || len > elf->size - offset)
        return false;
    if (elf->data) {
        memcpy(ret, elf->data + offset, len);
        return true;
    }
    while (got < len) {
        ssize_t n = pread(elf->fd, (char *)ret + got, len - got, (off_t)(offset + got));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        got += (size_t)n;
    }
    return true;
}

/* Reads a table of `count` entries of `size` bytes. The caller has checked `size`. */
static void *read_table(const struct tch_elf *elf, uint64_t offset, size_t count, size_t size)
{
    void *table;

    if (count == 0 || count > HEADERS_MAX || !tch_symbol_share_take(elf->share, count * size))
        return NULL;
    table = malloc(count * size);
    if (table && !read_at(elf, offset, table, count * size)) {
        free(table);
        table = NULL;
    }
    return table;
}

/* Inflates a compressed section and frees the compressed bytes. Returns NULL if it is damaged or
   too large. */
static void *inflate_section(const struct tch_elf *elf, char *bytes, size_t packed, size_t *len)
{
    Elf64_Chdr head = {0};
    struct tch_buf out;
    void *ret = NULL;

    if (packed >= sizeof head)
        memcpy(&head, bytes, sizeof head);
    tch_buf_init(&out, INFLATED_MAX);
    if (head.ch_type == ELFCOMPRESS_ZLIB &&
        tch_zlib_inflate(bytes + sizeof head, packed - sizeof head, &out, NULL) == 0 &&
        tch_symbol_share_take(elf->share, out.len)) {
        *len = out.len;
        ret = tch_buf_take(&out);
    }
    tch_buf_release(&out);
    free(bytes);
    return ret;
}

void *tch_elf_read(const struct tch_elf *elf, const Elf64_Shdr *section, size_t *len)
{
    char *bytes;

    if (!section || section->sh_type == SHT_NOBITS || section->sh_size == 0 ||
        section->sh_size > SECTION_MAX || section->sh_offset > elf->size ||
        section->sh_size > elf->size - section->sh_offset)
        return NULL;
    if (!elf->data && tch_is_hollow(elf->fd, section->sh_offset, section->sh_size, elf->share))
        return NULL;
    if (!tch_symbol_share_take(elf->share, section->sh_size))
        return NULL;
    bytes = malloc(section->sh_size + 1);
    if (bytes && !read_at(elf, section->sh_offset, bytes, section->sh_size)) {
        free(bytes);
        return NULL;
    }
    if (!bytes)
        return NULL;
    if (section->sh_flags & SHF_COMPRESSED)
        return inflate_section(elf, bytes, section->sh_size, len);
    bytes[section->sh_size] = '\0';
    *len = section->sh_size;
    return bytes;
}

/* Reads the tables of segments and sections. Missing or unreadable tables are empty, as a stripped
   file may have no sections. */
static int read_headers(struct tch_elf *elf, const char *name, tacho_error *err)
{
    uint16_t order = 1;
    bool little = *(const unsigned char *)&order == 1;
    Elf64_Ehdr head;

    if (!read_at(elf, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 ||
        head.e_ident[EI_DATA] != (little ? ELFDATA2LSB : ELFDATA2MSB)) {
        tch_elf_release(elf);
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' is not a 64-bit ELF file of this machine",
                        name);
    }
    elf->machine = head.e_machine;
    elf->entry = head.e_entry;
    if (head.e_phentsize == sizeof *elf->segments)
        elf->segments = read_table(elf, head.e_phoff, head.e_phnum, sizeof *elf->segments);
    elf->segment_count = elf->segments ? head.e_phnum : 0;
    if (head.e_shentsize == sizeof *elf->sections)
        elf->sections = read_table(elf, head.e_shoff, head.e_shnum, sizeof *elf->sections);
    elf->section_count = elf->sections ? head.e_shnum : 0;
    if (head.e_shstrndx < elf->section_count)
        elf->names = tch_elf_read(elf, &elf->sections[head.e_shstrndx], &elf->names_len);
    return 0;
}

int tch_elf_open_mem(struct tch_elf *elf, const void *data, size_t len, tacho_error *err)
{
    *elf = (struct tch_elf){.fd = -1, .data = data, .size = len};
    return read_headers(elf, "memory", err);
}

int tch_elf_open_fd(struct tch_elf *elf, int fd, const char *name, struct tch_symbol_share *share,
                    tacho_error *err)
{
    struct stat st;

    *elf = (struct tch_elf){.fd = fd, .share = share};
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        tch_elf_release(elf);
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' is not a regular file", name);
    }
    elf->size = (uint64_t)st.st_size;
    return read_headers(elf, name, err);
}

/* Returns whether the file is regular and has the inode. */
static bool is_wanted(int fd, uint64_t inode)
{
    struct stat st;
    struct statfs fs;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    /* Older kernels report the inode of the layer for a mapping of a file on overlayfs. */
    return inode == 0 || st.st_ino == inode ||
           (fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

int tch_elf_open_inode(struct tch_elf *elf, const char *path, uint64_t inode,
                       struct tch_symbol_share *share, tacho_error *err)
{
    int place = open(path, O_PATH | O_CLOEXEC);
    bool wanted = place >= 0 && is_wanted(place, inode);
    int fd = wanted ? tch_open_place(place) : -1;

    *elf = (struct tch_elf){.fd = -1};
    if (place >= 0 && !wanted) {
        close(place);
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' is not a regular file, or not the mapped one",
                        path);
    }
    if (fd < 0)
        tch_fail_errno(err, errno, "cannot open '%s'", path);
    if (place >= 0)
        close(place);
    return fd < 0 ? TACHO_EIO : tch_elf_open_fd(elf, fd, path, share, err);
}

int tch_elf_open(struct tch_elf *elf, const char *path, tacho_error *err)
{
    return tch_elf_open_inode(elf, path, 0, NULL, err);
}

void tch_elf_release(struct tch_elf *elf)
{
    if (elf->fd >= 0)
        close(elf->fd);
    free(elf->segments);
    free(elf->sections);
    free(elf->names);
    *elf = (struct tch_elf){.fd = -1};
}

const Elf64_Shdr *tch_elf_section(const struct tch_elf *elf, const char *name)
{
    for (size_t i = 0; i < elf->section_count; i++)
        if (elf->sections[i].sh_name < elf->names_len &&
            strcmp(elf->names + elf->sections[i].sh_name, name) == 0)
            return &elf->sections[i];
    return NULL;
}

const Elf64_Shdr *tch_elf_section_type(const struct tch_elf *elf, uint32_t type)
{
    for (size_t i = 0; i < elf->section_count; i++)
        if (elf->sections[i].sh_type == type)
            return &elf->sections[i];
    return NULL;
}

bool tch_elf_address(const struct tch_elf *elf, uint64_t offset, uint64_t *ret)
{
    for (size_t i = 0; i < elf->segment_count; i++) {
        const Elf64_Phdr *p = &elf->segments[i];

        /* A mapping consists of whole pages, so it may begin before the segment does. */
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
            continue;
        if (offset >= (p->p_offset & ~(uint64_t)0xfff) &&
            offset - p->p_offset + 0x1000 < p->p_filesz + 0x2000) {
            *ret = offset - p->p_offset + p->p_vaddr;
            return true;
        }
    }
    return false;
}

/* Returns the contents of the NT_GNU_BUILD_ID note among `len` bytes of notes; NULL: there is
   none. */
static const uint8_t *find_build_id(const uint8_t *notes, size_t len, size_t *ret)
{
    while (len >= sizeof(Elf64_Nhdr)) {
        size_t name;
        size_t desc;
        Elf64_Nhdr note;

        memcpy(&note, notes, sizeof note);
        name = ((size_t)note.n_namesz + 3) & ~(size_t)3;
        desc = ((size_t)note.n_descsz + 3) & ~(size_t)3;
        if (name > len - sizeof note || desc > len - sizeof note - name)
            return NULL;
        notes += sizeof note;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes, "GNU", 4) == 0) {
            *ret = note.n_descsz;
            return notes + name;
        }
        notes += name + desc;
        len -= sizeof note + name + desc;
    }
    return NULL;
}

bool tch_elf_is_dynamic(const struct tch_elf *elf)
{
    for (size_t i = 0; i < elf->segment_count; i++)
        if (elf->segments[i].p_type == PT_INTERP)
            return true;
    return false;
}

bool tch_elf_build_id(const struct tch_elf *elf, char *ret, size_t size)
{
    size_t len = 0;
    size_t id_len = 0;
    uint8_t *notes = tch_elf_read(elf, tch_elf_section(elf, ".note.gnu.build-id"), &len);
    const uint8_t *id = notes ? find_build_id(notes, len, &id_len) : NULL;
    bool found = id && id_len >= 2 && 2 * id_len < size;

    for (size_t i = 0; found && i < id_len; i++)
        snprintf(ret + 2 * i, 3, "%02x", id[i]);
    free(notes);
    return found;
}
