/* Finds separate debug files. */
#include "debug_file.h"

#include <fcntl.h>
#include <limits.h>
#include <lzma.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/spawn.h"

enum {
    ID_MAX = 129,
    MINI_MAX = 64 << 20, /* largest size of unpacked mini debug info, in bytes */
    XZ_MEMORY = 128 << 20,
};

static const char debug_root[] = "/usr/lib/debug";

/* Opens path if its build ID is `id` or, if that is NULL, if its checksum matches. */
static int open_matching(const struct tch_code_object *object, const char *path, const char *id,
                         const uint32_t *crc)
{
    struct tch_symbol_share *share = object->elf.share;
    char other[ID_MAX];
    uint32_t found;
    struct tch_elf elf;
    bool fits;
    int fd = -1;

    if (tch_elf_open_inode(&elf, path, 0, share, NULL) < 0)
        return -1;
    if (id)
        fits = tch_elf_build_id(&elf, other, sizeof other) && strcmp(other, id) == 0;
    else
        fits = crc && tch_symbol_checksum(share, elf.fd, &found) && found == *crc;
    if (fits)
        fd = fcntl(elf.fd, F_DUPFD_CLOEXEC, 3);
    tch_elf_release(&elf);
    return fd;
}

/* Searches the folders that gdb and perf search for a .gnu_debuglink name. */
static int open_link(const struct tch_code_object *object, const char *id)
{
    static const char *const forms[][2] = {{"", "/"}, {"", "/.debug/"}, {debug_root, "/"}};
    size_t len = 0;
    char *link = tch_elf_read(&object->elf, tch_elf_section(&object->elf, ".gnu_debuglink"), &len);
    const char *slash = strrchr(object->path, '/');
    size_t name_len = link ? strnlen(link, len) : 0;
    size_t crc_at = (name_len + 4) & ~(size_t)3;
    uint32_t crc;
    int fd = -1;

    if (link && slash && crc_at + sizeof crc <= len && !strchr(link, '/')) {
        memcpy(&crc, link + crc_at, sizeof crc);
        for (size_t i = 0; fd < 0 && i < sizeof forms / sizeof forms[0]; i++) {
            char path[2 * PATH_MAX];

            snprintf(path, sizeof path, "%s%.*s%s%s", forms[i][0], (int)(slash - object->path),
                     object->path, forms[i][1], link);
            if (strcmp(path, object->path) != 0)
                fd = open_matching(object, path, id, &crc);
        }
    }
    free(link);
    return fd;
}

/* Asks the servers of DEBUGINFOD_URLS by running debuginfod-find. */
static int open_debuginfod(const struct tch_code_object *object, const char *id)
{
    const char *const argv[] = {"debuginfod-find", "debuginfo", id, NULL};
    struct tch_spawn spawn = {.argv = argv,
                              .io = {[0] = {.kind = TCH_IO_NULL}, [2] = {.kind = TCH_IO_NULL}}};
    struct tch_spawn_end end;
    struct tch_buf out;
    int fd = -1;

    tch_buf_init(&out, PATH_MAX);
    if (tch_spawn_read(&spawn, 0, &out, &end, NULL) == 0 && end.status == 0 && out.len > 1) {
        out.data[out.len - (out.data[out.len - 1] == '\n')] = '\0';
        fd = open_matching(object, out.data, id, NULL);
    }
    tch_buf_release(&out);
    return fd;
}

int tch_debug_file(const struct tch_code_object *object, bool debuginfod)
{
    char id[ID_MAX];
    char path[PATH_MAX];
    bool has_id;
    int fd = -1;

    if (object->kind != TCH_OBJECT_FILE || !object->usable)
        return -1;
    has_id = tch_elf_build_id(&object->elf, id, sizeof id);
    if (has_id) {
        snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", debug_root, id, id + 2);
        fd = open_matching(object, path, id, NULL);
    }
    if (fd < 0)
        fd = open_link(object, has_id ? id : NULL);
    if (fd < 0 && has_id && debuginfod)
        fd = open_debuginfod(object, id);
    return fd;
}

void *tch_debug_data(const struct tch_elf *elf, size_t *len)
{
    size_t packed_len = 0;
    uint8_t *packed = tch_elf_read(elf, tch_elf_section(elf, ".gnu_debugdata"), &packed_len);
    /* Pages that are not written take no memory. */
    uint8_t *bytes = packed ? malloc(MINI_MAX) : NULL;
    uint64_t memory = XZ_MEMORY;
    size_t from = 0;

    *len = 0;
    if (bytes && (lzma_stream_buffer_decode(&memory, 0, NULL, packed, &from, packed_len, bytes, len,
                                            MINI_MAX) != LZMA_OK ||
                  !tch_symbol_share_take(elf->share, *len))) {
        free(bytes);
        bytes = NULL;
    }
    free(packed);
    return bytes;
}
