/* Seals a folder, and checks one against its seal. */
#include "folder_seal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"
#include "base/utf8.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"
#include "lib/witness/witness_chain.h"
#include "lib/witness/witness_member.h"

#define SCHEMA "tacho.seal.v1"

enum { SEAL_MAX = 1 << 30, LINE_MAX_BYTES = 64 << 10, DEPTH_MAX = 32 };

static const char *const kind_names[] = {
    [TCH_SEAL_REGULAR] = "file", [TCH_SEAL_LINK] = "link", [TCH_SEAL_FOLDER] = "folder"};

/* A list of files, sorted by name. */
struct list {
    struct tch_seal_line *line;
    size_t count;
    size_t room;
};

void tch_seal_free(struct tch_seal_line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(lines[i].file);
    free(lines);
}

/* Appends a file and copies its name. Returns NULL if memory runs out. */
static struct tch_seal_line *list_add(struct list *l, const char *file, enum tch_seal_kind kind)
{
    size_t size = strlen(file) + 1;
    char *copy = malloc(size);

    if (!copy || tch_array_reserve(&l->line, &l->room, l->count + 1) < 0) {
        free(copy);
        return NULL;
    }
    l->line[l->count] = (struct tch_seal_line){.file = memcpy(copy, file, size), .kind = kind};
    return &l->line[l->count++];
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct tch_seal_line *)a)->file, ((const struct tch_seal_line *)b)->file);
}

static enum tch_seal_kind kind_of(mode_t mode)
{
    return S_ISREG(mode)   ? TCH_SEAL_REGULAR
           : S_ISLNK(mode) ? TCH_SEAL_LINK
           : S_ISDIR(mode) ? TCH_SEAL_FOLDER
                           : TCH_SEAL_OTHER;
}

/* Adds the entries of a folder and of its subfolders. `below` is "" or the folder's path and a
   slash. A folder is an entry only if it is empty. */
static int list_folder(struct list *l, const char *folder, const char *below, int depth,
                       tacho_error *err)
{
    size_t before = l->count;
    char path[PATH_MAX];
    struct dirent *entry;
    int status = tch_folder_at(path, folder, below, err);
    DIR *dir = status == 0 ? opendir(path) : NULL;

    if (!dir)
        return status < 0 ? status : tch_fail_errno(err, errno, "cannot read folder '%s'", path);
    while (status == 0 && (entry = readdir(dir))) {
        char name[PATH_MAX];
        struct stat st;
        enum tch_seal_kind kind;

        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            (depth == 0 && strcmp(entry->d_name, TCH_SEAL_FILE) == 0))
            continue;
        if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0) {
            status = tch_fail_errno(err, errno, "cannot read '%s'", entry->d_name);
            break;
        }
        kind = kind_of(st.st_mode);
        if (snprintf(name, sizeof name, "%s%s%s", below, entry->d_name,
                     kind == TCH_SEAL_FOLDER ? "/" : "") >= PATH_MAX ||
            depth == DEPTH_MAX)
            status = tch_fail(err, TACHO_ELIMIT, 0, "a path below '%.150s' is too long", folder);
        else if (kind == TCH_SEAL_FOLDER)
            status = list_folder(l, folder, name, depth + 1, err);
        else if (!list_add(l, name, kind))
            status = tch_fail_memory(err);
    }
    closedir(dir);
    if (status == 0 && depth > 0 && l->count == before && !list_add(l, below, TCH_SEAL_FOLDER))
        status = tch_fail_memory(err);
    return status;
}

static int list_files(struct list *l, const char *folder, tacho_error *err)
{
    int status = list_folder(l, folder, "", 0, err);

    if (status == 0 && l->count > 0)
        qsort(l->line, l->count, sizeof *l->line, by_name);
    return status;
}

/* Hashes an entry that is not a regular file. The content of a link is the path that it points to.
   An empty folder has no content. */
static int hash_other(const char *folder, struct tch_seal_line *line, tacho_error *err)
{
    char path[PATH_MAX];
    char target[PATH_MAX];
    ssize_t len = 0;
    int status = tch_folder_at(path, folder, line->file, err);

    if (status < 0)
        return status;
    if (line->kind == TCH_SEAL_OTHER)
        return tch_fail(err, TACHO_EINVAL, 0, "'%s' is a FIFO, socket or device; remove it", path);
    if (line->kind == TCH_SEAL_LINK)
        len = readlink(path, target, sizeof target);
    if (len < 0)
        return tch_fail_errno(err, errno, "cannot read the link '%s'", path);
    line->bytes = (uint64_t)len;
    tch_sha256_hex(line->sha256, target, (size_t)len);
    return 0;
}

static int hash_file(const char *folder, struct tch_seal_line *line, tacho_error *err)
{
    int fd;
    int status;

    if (line->kind != TCH_SEAL_REGULAR)
        return hash_other(folder, line, err);
    fd = tch_found_open(folder, line->file, err);
    if (fd < 0)
        return fd;
    status = tch_file_sha256(fd, line->file, line->sha256, &line->bytes, err);
    close(fd);
    return status;
}

/* Adds the name of a file. File names may be any bytes, but JSON must be UTF-8, so other names are
   written in hexadecimal. */
static void add_name(struct tch_buf *b, const char *name)
{
    size_t len = strlen(name);

    if (tch_utf8_valid(name, len) == len) {
        tch_json_put_text(b, "file", name);
        return;
    }
    tch_json_key(b, "file_hex");
    tch_buf_addc(b, '"');
    for (size_t i = 0; i < len; i++)
        tch_buf_addf(b, "%02x", (unsigned char)name[i]);
    tch_json_part(b, "\"", 1, true);
}

/* Writes the text of the seal and fills info. */
static void add_seal(struct tch_buf *b, const struct list *l, struct tch_seal_info *info)
{
    struct tch_chain chain;
    size_t start = 0;

    tch_chain_init(&chain);
    tch_buf_adds(b, "{\"schema\":\"" SCHEMA "\"");
    tch_chain_add(&chain, b, start);
    for (size_t i = 0; i < l->count; i++) {
        start = b->len;
        tch_json_begin_object(b);
        add_name(b, l->line[i].file);
        if (l->line[i].kind != TCH_SEAL_REGULAR)
            tch_json_put_text(b, "kind", kind_names[l->line[i].kind]);
        tch_json_put_u64(b, "bytes", l->line[i].bytes);
        tch_json_put_text(b, "sha256", l->line[i].sha256);
        tch_chain_add(&chain, b, start);
        info->bytes += l->line[i].bytes;
    }
    info->files = l->count;
    start = b->len;
    tch_json_begin_object(b);
    tch_json_put_u64(b, "files", info->files);
    tch_json_put_u64(b, "bytes", info->bytes);
    tch_chain_add(&chain, b, start);
    memcpy(info->hash, chain.last, sizeof info->hash);
}

int tch_seal_write(const char *folder, struct tch_seal_info *ret, tacho_error *err)
{
    struct list l = {0};
    struct tch_buf b;
    int status = list_files(&l, folder, err);

    *ret = (struct tch_seal_info){0};
    tch_buf_init(&b, SEAL_MAX);
    for (size_t i = 0; i < l.count && status == 0; i++)
        status = hash_file(folder, &l.line[i], err);
    if (status == 0) {
        add_seal(&b, &l, ret);
        status = b.failed ? tch_fail_memory(err)
                          : tch_found_write(folder, TCH_SEAL_FILE, b.data, b.len, true, err);
    }
    tch_buf_release(&b);
    tch_seal_free(l.line, l.count);
    return status;
}

/* Checking. */

/* Reads the name from "file" or "file_hex". */
static int read_name(const struct tch_line *line, char name[PATH_MAX], tacho_error *err)
{
    char hex[2 * PATH_MAX];
    struct tch_buf b;
    size_t n = 0;
    uint64_t byte;

    tch_buf_init_on(&b, name, PATH_MAX, PATH_MAX - 1);
    if (tch_member_find(line, "file_hex", &(struct tch_json_value){0}, NULL) < 0)
        return tch_member_text(line, "file", &b, err);
    tch_buf_init_on(&b, hex, sizeof hex, sizeof hex - 1);
    if (tch_member_text(line, "file_hex", &b, err) < 0)
        return TACHO_EPARSE;
    for (const char *at = hex; *at; at += 2) {
        char digits[5] = {'0', 'x', at[0], at[1]};

        if (!at[1] || tch_parse_hex_n(digits, 4, &byte) < 0 || byte == 0)
            return tch_fail(err, TACHO_EPARSE, line->number, "'file_hex' is not a name");
        name[n++] = (char)byte;
    }
    name[n] = '\0';
    return 0;
}

static int read_kind(const struct tch_line *line, enum tch_seal_kind *ret, tacho_error *err)
{
    char name[16];
    struct tch_buf b;

    if (tch_member_find(line, "kind", &(struct tch_json_value){0}, NULL) < 0)
        return 0;
    tch_buf_init_on(&b, name, sizeof name, sizeof name - 1);
    if (tch_member_text(line, "kind", &b, err) < 0)
        return TACHO_EPARSE;
    for (; *ret < TCH_SEAL_OTHER; ++*ret)
        if (strcmp(name, kind_names[*ret]) == 0)
            return 0;
    return tch_fail(err, TACHO_EPARSE, line->number, "'kind' is '%s'", name);
}

static int read_file_line(const struct tch_line *line, struct list *l, tacho_error *err)
{
    char name[PATH_MAX];
    char hash[TCH_SHA256_HEX + 1];
    enum tch_seal_kind kind = TCH_SEAL_REGULAR;
    struct tch_seal_line *to;
    struct tch_buf b;
    uint64_t bytes = 0;
    int status = read_name(line, name, err);

    if (status == 0)
        status = read_kind(line, &kind, err);
    if (status == 0)
        status = tch_member_u64(line, "bytes", &bytes, err);
    if (status < 0)
        return status;
    to = list_add(l, name, kind);
    if (!to)
        return tch_fail_memory(err);
    to->bytes = bytes;
    tch_buf_init_on(&b, hash, sizeof hash, sizeof hash - 1);
    status = tch_member_text(line, "sha256", &b, err);
    snprintf(to->sha256, sizeof to->sha256, "%s", b.data);
    return status;
}

static bool begins(const struct tch_line *line, const char *text)
{
    size_t len = strlen(text);

    return line->len >= len && memcmp(line->text, text, len) == 0;
}

/* Reads a seal. The first line has the schema, the last line the number of files. The other lines
   are files. */
static int read_seal(struct tch_lines *lines, struct list *l, char hash[TCH_SHA256_HEX],
                     tacho_error *err)
{
    struct tch_chain chain;
    struct tch_line line = {0};
    uint64_t files = UINT64_MAX;
    int more;

    tch_chain_init(&chain);
    while ((more = tch_lines_next(lines, &line, err)) > 0) {
        int status = tch_chain_check(&chain, &line, err);

        if (status < 0)
            return status;
        if (line.number == 1 && !begins(&line, "{\"schema\":\"" SCHEMA "\","))
            return tch_fail(err, TACHO_EPARSE, 1, "this is not the seal of a run");
        if (line.number == 1)
            continue;
        if (files != UINT64_MAX)
            return tch_fail(err, TACHO_EPARSE, line.number, "there is a line after the last one");
        status = begins(&line, "{\"files\":") ? tch_member_u64(&line, "files", &files, err)
                                              : read_file_line(&line, l, err);
        if (status < 0)
            return status;
    }
    if (more < 0)
        return more;
    if (files != l->count)
        return tch_fail(err, TACHO_EPARSE, line.number + 1,
                        "the seal ends here: its last lines are missing");
    memcpy(hash, chain.last, sizeof chain.last);
    return 0;
}

int tch_seal_parse(const char *data, size_t len, struct tch_seal_line **ret, size_t *count,
                   char hash[TCH_SHA256_HEX], tacho_error *err)
{
    struct list l = {0};
    struct tch_lines lines;
    int status;

    tch_lines_init_mem(&lines, data, len, LINE_MAX_BYTES);
    status = read_seal(&lines, &l, hash, err);
    tch_lines_release(&lines);
    if (status < 0) {
        tch_seal_free(l.line, l.count);
        return status;
    }
    *ret = l.line;
    *count = l.count;
    return 0;
}

bool tch_seal_there(const char *folder)
{
    char path[PATH_MAX];
    struct stat st;

    return tch_folder_at(path, folder, TCH_SEAL_FILE, NULL) == 0 && lstat(path, &st) == 0;
}

bool tch_seal_expected(const char *folder)
{
    struct tch_json_value plan;
    struct tch_json_value seal;
    struct tch_buf b;
    bool expected;

    tch_buf_init(&b, SEAL_MAX);
    expected = tch_found_read(folder, "run.json", SEAL_MAX, &b, NULL) == 0 &&
               tch_json_find(b.data, b.len, "plan", &plan) &&
               tch_json_find(plan.text, plan.len, "seal", &seal) && seal.type == TCH_JSON_TRUE;
    tch_buf_release(&b);
    return expected;
}

struct checking {
    tch_seal_bad_fn *bad;
    void *ctx;
    size_t found;
};

static int report_bad(struct checking *c, const char *file, const char *what)
{
    c->found++;
    return c->bad ? c->bad(file, what, c->ctx) : 0;
}

static int compare_lines(struct checking *c, const char *folder, const struct tch_seal_line *sealed,
                         struct tch_seal_line *there, tacho_error *err)
{
    int status = there->kind == sealed->kind ? hash_file(folder, there, err) : 0;

    if (status == 0 && (there->kind != sealed->kind || strcmp(there->sha256, sealed->sha256) != 0))
        status = report_bad(c, there->file, "was changed");
    return status;
}

/* Compares the two sorted lists. */
static int compare_lists(struct checking *c, const char *folder, const struct list *sealed,
                         const struct list *there, tacho_error *err)
{
    size_t i = 0;
    size_t j = 0;
    int status = 0;

    while (status == 0 && (i < sealed->count || j < there->count)) {
        int order = i == sealed->count  ? 1
                    : j == there->count ? -1
                                        : by_name(&sealed->line[i], &there->line[j]);

        if (order < 0)
            status = report_bad(c, sealed->line[i].file, "is missing");
        else if (order > 0)
            status = report_bad(c, there->line[j].file, "was added after the folder was sealed");
        else
            status = compare_lines(c, folder, &sealed->line[i], &there->line[j], err);
        i += order <= 0;
        j += order >= 0;
    }
    return status;
}

int tch_seal_check(const char *folder, tch_seal_bad_fn *bad, void *ctx, struct tch_seal_info *ret,
                   tacho_error *err)
{
    struct checking c = {.bad = bad, .ctx = ctx};
    struct list sealed = {0};
    struct list there = {0};
    struct tch_buf b;
    int status;

    *ret = (struct tch_seal_info){0};
    tch_buf_init(&b, SEAL_MAX);
    status = tch_found_read(folder, TCH_SEAL_FILE, SEAL_MAX, &b, err);
    if (status < 0)
        goto out;
    status = tch_seal_parse(b.data, b.len, &sealed.line, &sealed.count, ret->hash, err);
    if (status < 0)
        goto out;
    ret->files = sealed.count;
    for (size_t i = 0; i < sealed.count; i++)
        ret->bytes += sealed.line[i].bytes;
    status = list_files(&there, folder, err);
    if (status < 0)
        goto out;
    status = compare_lists(&c, folder, &sealed, &there, err);
    if (status == 0 && c.found > 0)
        status = 1;
out:
    tch_buf_release(&b);
    tch_seal_free(sealed.line, sealed.count);
    tch_seal_free(there.line, there.count);
    return status;
}
