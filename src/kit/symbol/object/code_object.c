/* Opens the objects that contain the code of a capture. */
#include "code_object.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file.h"
#include "base/number.h"
#include "debug_file.h"

static enum tch_code_object_kind kind_of(const char *name)
{
    static const char *const memory[] = {"//anon", "/memfd:", "/dev/zero", "/SYSV",
                                         "/anon_hugepage"};

    if (strcmp(name, "[vdso]") == 0)
        return TCH_OBJECT_VDSO;
    for (size_t i = 0; i < sizeof memory / sizeof memory[0]; i++)
        if (strncmp(name, memory[i], strlen(memory[i])) == 0)
            return TCH_OBJECT_JIT;
    return name[0] == '/' ? TCH_OBJECT_FILE : TCH_OBJECT_JIT;
}

uint32_t tch_inner_pid(uint32_t pid)
{
    static const char key[] = "\nNSpid:";
    char text[4096];
    struct tch_buf b;
    const char *line;
    uint64_t inner = pid;

    snprintf(text, sizeof text, "/proc/%u/status", (unsigned)pid);
    tch_buf_init(&b, sizeof text);
    if (tch_file_read(text, sizeof text, &b, NULL) == 0 && (line = strstr(b.data, key)) != NULL) {
        size_t len = strcspn(line + 1, "\n") + 1;
        size_t begin = len;

        while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
            begin--; /* the last number is that of the innermost namespace */
        if (tch_parse_u64_n(line + begin, len - begin, UINT32_MAX, &inner) < 0)
            inner = pid;
    }
    tch_buf_release(&b);
    return (uint32_t)inner;
}

/* Returns whether the process has our /tmp. */
static bool shares_tmp(uint32_t pid)
{
    char path[64];
    struct stat ours, its;

    snprintf(path, sizeof path, "/proc/%u/root/tmp", (unsigned)pid);
    return stat("/tmp", &ours) == 0 && stat(path, &its) == 0 && ours.st_dev == its.st_dev &&
           ours.st_ino == its.st_ino;
}

/* Appends an object to the list; its key was added before. */
static bool append_object(struct tch_code_objects *objects, enum tch_code_object_kind kind,
                          const char *path, uint64_t inode, uint32_t pid)
{
    size_t len = strlen(path) + 1;
    struct tch_code_object *object;

    if (tch_array_reserve(&objects->list, &objects->cap, objects->count + 1) < 0)
        return false;
    object = calloc(1, sizeof *object);
    if (!object)
        return false;
    object->kind = kind;
    object->pid = pid;
    object->inode = inode;
    if (kind == TCH_OBJECT_JIT && shares_tmp(pid))
        object->inner_pid = tch_inner_pid(pid);
    object->elf.fd = -1;
    object->share.budget = &objects->budget;
    object->path = malloc(len);
    if (!object->path) {
        free(object);
        return false;
    }
    memcpy(object->path, path, len);
    objects->list[objects->count++] = object;
    return true;
}

bool tch_code_objects_init(struct tch_code_objects *objects)
{
    *objects = (struct tch_code_objects){0};
    tch_symbol_budget_init(&objects->budget, -1);
    return tch_intern_add(&objects->keys, "?", 1) == TCH_OBJECT_NOWHERE &&
           append_object(objects, TCH_OBJECT_UNKNOWN, "[unknown]", 0, 0) &&
           tch_intern_add(&objects->keys, "k", 1) == TCH_OBJECT_THE_KERNEL &&
           append_object(objects, TCH_OBJECT_KERNEL, "[kernel.kallsyms]", 0, 0);
}

void tch_code_objects_release(struct tch_code_objects *objects)
{
    for (size_t i = 0; i < objects->count; i++) {
        tch_elf_release(&objects->list[i]->elf);
        tch_cfi_release(&objects->list[i]->cfi);
        tch_cfi_release(&objects->list[i]->debug_cfi);
        free(objects->list[i]->path);
        free(objects->list[i]);
    }
    free(objects->list);
    tch_intern_release(&objects->keys);
    *objects = (struct tch_code_objects){0};
}

uint32_t tch_code_objects_add(struct tch_code_objects *objects, const char *name, uint64_t inode,
                              uint32_t pid)
{
    enum tch_code_object_kind kind = kind_of(name);
    char key[PATH_MAX + 64];
    uint32_t id;
    int len;

    if (kind == TCH_OBJECT_JIT)
        len = snprintf(key, sizeof key, "jit %u", (unsigned)pid);
    else
        len = snprintf(key, sizeof key, "%llu %s", (unsigned long long)inode, name);
    if (len < 0 || (size_t)len >= sizeof key)
        return TCH_OBJECT_NOWHERE;
    id = tch_intern_add(&objects->keys, key, (size_t)len);
    if (id == objects->count && !append_object(objects, kind, name, inode, pid))
        return TCH_INTERN_NONE;
    return id;
}

/* Opens our own vdso, which is the same in every process. Its size is computed from its section
   headers, which are its last part. */
static bool open_vdso(struct tch_elf *elf)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)getauxval(AT_SYSINFO_EHDR);

    return head &&
           tch_elf_open_mem(elf, head, head->e_shoff + (size_t)head->e_shnum * head->e_shentsize,
                            NULL) == 0;
}

/* Opens the file at `path` if it is the one that was mapped, not a later file of the same name. */
static bool open_mapped(struct tch_code_object *object, const char *path)
{
    return tch_elf_open_inode(&object->elf, path, object->inode, &object->share, NULL) == 0;
}

/* Opens the file in the root folder of the process, which may differ from ours. A program that was
   deleted or replaced is opened through the process that runs it. */
static bool open_file(struct tch_code_object *object)
{
    char path[PATH_MAX + 32];

    snprintf(path, sizeof path, "/proc/%u/root%s", (unsigned)object->pid, object->path);
    if (open_mapped(object, path) || open_mapped(object, object->path))
        return true;
    snprintf(path, sizeof path, "/proc/%u/exe", (unsigned)object->pid);
    return object->inode != 0 && open_mapped(object, path);
}

bool tch_code_object_load(struct tch_code_object *object)
{
    const Elf64_Shdr *frame;
    const Elf64_Shdr *header;
    size_t frame_len = 0;
    size_t header_len = 0;
    uint8_t *frame_data;
    uint8_t *header_data;

    if (object->loaded)
        return true;
    object->loaded = true;
    if (object->kind == TCH_OBJECT_FILE)
        object->usable = open_file(object);
    else if (object->kind == TCH_OBJECT_VDSO)
        object->usable = open_vdso(&object->elf);
    if (!object->usable)
        return true;
    frame = tch_elf_section(&object->elf, ".eh_frame");
    frame_data = tch_elf_read(&object->elf, frame, &frame_len);
    if (!frame_data)
        return true;
    header = tch_elf_section(&object->elf, ".eh_frame_hdr");
    header_data = tch_elf_read(&object->elf, header, &header_len);
    return tch_cfi_init(&object->cfi, frame_data, frame_len, frame->sh_addr, header_data,
                        header_len, header ? header->sh_addr : 0);
}

/* Reads .debug_frame of the file or, if it has no such section, of its debug file. */
static void read_debug_frame(struct tch_code_object *object)
{
    const Elf64_Shdr *section = tch_elf_section(&object->elf, ".debug_frame");
    int fd = section ? -1 : tch_debug_file(object, false);
    struct tch_elf debug = {.fd = -1};
    size_t len = 0;
    uint8_t *frame;

    if (fd >= 0 && tch_elf_open_fd(&debug, fd, "", &object->share, NULL) == 0)
        section = tch_elf_section(&debug, ".debug_frame");
    frame = tch_elf_read(fd >= 0 ? &debug : &object->elf, section, &len);
    tch_elf_release(&debug);
    if (frame && !tch_cfi_init_debug(&object->debug_cfi, frame, len))
        tch_cfi_release(&object->debug_cfi);
}

bool tch_code_object_row(struct tch_code_object *object, uint64_t addr, struct tch_cfi_row *ret)
{
    if (tch_cfi_find(&object->cfi, addr, ret))
        return true;
    if (object->kind != TCH_OBJECT_FILE || !object->usable)
        return false;
    if (!object->debug_tried)
        read_debug_frame(object);
    object->debug_tried = true;
    return tch_cfi_find(&object->debug_cfi, addr, ret);
}

bool tch_code_object_is_entry(const struct tch_code_object *object, uint64_t addr)
{
    return object->usable && object->elf.entry != 0 && addr >= object->elf.entry &&
           addr - object->elf.entry < TCH_ENTRY_BYTES;
}

uint64_t tch_code_object_address(const struct tch_code_object *object, uint64_t offset)
{
    uint64_t addr;

    return object->usable && tch_elf_address(&object->elf, offset, &addr) ? addr : offset;
}
