/*
 * Makes a run folder of any bytes. The folder is read, drawn in one format, sealed and, when its
 * run was killed, completed. Nothing outside of it may be read or changed.
 *
 * A line "== NAME" begins a file, "=> NAME TARGET" is a link and "=| NAME" a FIFO.
 */
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/report/report.h"
#include "kit/run/run.h"
#include "kit/witness/folder_seal.h"

#define SECRET "the-content-of-a-file-outside"

static char base[] = "/dev/shm/tacho-fuzz.XXXXXX"; /* contains the two below */
static char folder[sizeof base + 8];
static char secret[sizeof base + 16];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

static void remove_base(void)
{
    nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void require(bool ok)
{
    if (!ok)
        abort();
}

/* Makes the base folder, once. */
static void make_base(void)
{
    if (folder[0])
        return;
    require(mkdtemp(base));
    atexit(remove_base);
    snprintf(folder, sizeof folder, "%s/run", base);
    snprintf(secret, sizeof secret, "%s/secret.txt", base);
    require(tch_file_replace(secret, SECRET, strlen(SECRET), false, NULL) == 0);
}

/* Makes the folders of a path; false when one is something else, such as a link. */
static bool make_parents(char *path)
{
    for (char *slash = strchr(path + sizeof base, '/'); slash; slash = strchr(slash + 1, '/')) {
        struct stat st;
        bool ok;

        *slash = '\0';
        mkdir(path, 0700);
        ok = lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
        *slash = '/';
        if (!ok)
            return false;
    }
    return true;
}

/* Forms the path of a name, which must be in the folder. */
static bool find_path(char *ret, size_t size, const char *name, size_t len)
{
    if (len == 0 || len > 100 || memchr(name, '\0', len))
        return false;
    snprintf(ret, size, "%s/%.*s", folder, (int)len, name);
    return !strstr(ret, "..") && make_parents(ret);
}

/* Makes a link, unless it could lead further than to the base folder. */
static void make_link(const char *name, size_t len)
{
    const char *blank = memchr(name, ' ', len);
    char path[256];
    char target[256];

    if (!blank || !find_path(path, sizeof path, name, (size_t)(blank - name)))
        return;
    snprintf(target, sizeof target, "%.*s", (int)(name + len - blank - 1), blank + 1);
    if (target[0] != '/' && !strstr(target, "/.."))
        (void)!symlink(target, path);
}

/* Makes the entry that a line describes; data is the text after it, up to the next such line. */
static void make_entry(const char *line, size_t line_len, const char *data, size_t len)
{
    char path[256];
    int fd;

    if (line[1] == '>') {
        make_link(line + 3, line_len - 3);
        return;
    }
    if (!find_path(path, sizeof path, line + 3, line_len - 3))
        return;
    if (line[1] == '|') {
        mkfifo(path, 0600);
        return;
    }
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0) {
        (void)!write(fd, data, len);
        close(fd);
    }
}

static bool is_head(const char *at, const char *end)
{
    return end - at > 3 && at[0] == '=' && strchr("=>|", at[1]) && at[1] && at[2] == ' ';
}

static void make_folder(const char *data, size_t size)
{
    const char *end = data + size;

    while (data < end) {
        const char *line_end = memchr(data, '\n', (size_t)(end - data));
        const char *body = line_end ? line_end + 1 : end;
        const char *next = body;

        while (next < end && !is_head(next, end)) {
            const char *feed = memchr(next, '\n', (size_t)(end - next));

            next = feed ? feed + 1 : end;
        }
        if (is_head(data, end))
            make_entry(data, (size_t)((line_end ? line_end : end) - data), body,
                       (size_t)(next - body));
        data = next;
    }
}

/* Draws one run, or that run compared with itself, in one format; the size of the input chooses.
   known: the input itself has the secret. */
static void draw(const struct tch_report_run *run, size_t size, bool known)
{
    const struct tch_report_run both[] = {*run, *run};
    size_t formats = 1; /* there is at least one */
    struct tch_buf b;

    while (tch_report_formats[formats])
        formats++;
    tch_buf_init(&b, TCH_REPORT_MAX);
    (void)!tch_report_formats[size / 2 % formats]->write(&b, both, 1 + size % 2, NULL);
    require(known || !memmem(b.data, b.len, SECRET, strlen(SECRET)));
    tch_buf_release(&b);
}

static int any_file(const char *file, const char *what, void *ctx)
{
    (void)file;
    (void)what;
    (void)ctx;
    return 0;
}

static void seal(void)
{
    struct tch_seal_info info;

    (void)!tch_seal_check(folder, any_file, NULL, &info, NULL);
    (void)tch_seal_expected(folder);
    if (tch_seal_write(folder, &info, NULL) == 0)
        require(tch_seal_check(folder, any_file, NULL, &info, NULL) == 0);
}

/* Checks that the file outside is unchanged. */
static void check_outside(void)
{
    struct tch_buf b;

    tch_buf_init(&b, 1 << 20);
    require(tch_file_read(secret, 1 << 20, &b, NULL) == 0 && strcmp(b.data, SECRET) == 0);
    tch_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_report_run run;

    make_base();
    require(mkdir(folder, 0700) == 0);
    make_folder((const char *)data, size);
    if (tch_report_open(&run, folder, NULL) == 0) {
        draw(&run, size, memmem(data, size, SECRET, strlen(SECRET)));
        if (run.life == TCH_RUN_KILLED)
            (void)!tch_run_recover(&run.result, folder, NULL);
    }
    tch_report_close(&run);
    seal();
    check_outside();
    require(nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0);
    return 0;
}
