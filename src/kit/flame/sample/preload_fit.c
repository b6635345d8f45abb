/* Checks the machine, and a program's file before the program is started. */
#include "preload_fit.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "kit/symbol/object/elf_image.h"
#include "process/preload_path.h"
#include "process/spawn.h"

enum { SCRIPTS_DEEPEST = 4, HEAD_BYTES = 256 };

/* The object calls dlsym(), which is in the C library itself since 2.34. */
int tch_preload_probe(tacho_error *err)
{
    char path[PATH_MAX];
    char libc[64] = "";

    (void)confstr(_CS_GNU_LIBC_VERSION, libc, sizeof libc);
    if (strverscmp(libc, "glibc 2.34") < 0)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "the C library is older than 2.34");
    return tch_preload_path(TCH_PRELOAD_OBJECT, path, err);
}

static int refuse(tacho_error *err, const char *path, const char *why)
{
    const char *slash = strrchr(path, '/');

    return tch_fail(err, TACHO_EUNSUPPORTED, 0, "'%.60s' %s", slash ? slash + 1 : path, why);
}

/* Returns whether a library or a symbol of that name is in the dynamic linker's string table. */
static bool has_name(const struct tch_elf *elf, const char *name)
{
    size_t len = 0;
    char *names = tch_elf_read(elf, tch_elf_section(elf, ".dynstr"), &len);
    bool found = names && memmem(names, len, name, strlen(name));

    free(names);
    return found;
}

static int check_elf(const char *path, tacho_error *err)
{
    struct tch_elf elf = {.fd = -1};
    struct stat st;
    int status = 0;

    if (stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)))
        return refuse(err, path, "is a set-uid program");
    if (getxattr(path, "security.capability", NULL, 0) > 0)
        return refuse(err, path, "has capabilities of its own");
    if (tch_elf_open(&elf, path, NULL) < 0 || elf.machine != EM_X86_64)
        status = refuse(err, path, "is not a 64-bit program of this machine");
    else if (!tch_elf_is_dynamic(&elf))
        status = refuse(err, path, "is linked statically");
    else if (tch_elf_section(&elf, ".go.buildinfo") || tch_elf_section(&elf, ".gopclntab"))
        status = refuse(err, path, "is a Go program");
    else if (has_name(&elf, "__tsan_init") || has_name(&elf, "libtsan.so"))
        status = refuse(err, path, "runs under ThreadSanitizer");
    tch_elf_release(&elf);
    return status;
}

/* Replaces the path of a script by that of its interpreter, from its first line, "#! /bin/sh
   -e". */
static bool find_interpreter(char path[PATH_MAX])
{
    char head[HEAD_BYTES + 1] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    const char *from;

    if (fd < 0)
        return false;
    (void)tch_read_some(fd, head, HEAD_BYTES);
    close(fd);
    if (head[0] != '#' || head[1] != '!')
        return false;
    from = head + 2 + strspn(head + 2, " \t");
    snprintf(path, PATH_MAX, "%.*s", (int)strcspn(from, " \t\n"), from);
    return true;
}

int tch_preload_fits(const char *program, const char *cwd, tacho_error *err)
{
    char path[PATH_MAX];

    if (strchr(program, '/') && program[0] != '/' && cwd)
        snprintf(path, sizeof path, "%s/%s", cwd, program);
    else if (tch_find_program(program, path, sizeof path, NULL) < 0)
        return 0; /* starting the program will fail and say why */
    for (int i = 0; i < SCRIPTS_DEEPEST && find_interpreter(path); i++)
        ;
    return check_elf(path, err);
}
