/* Writes a log. Each entry is one write(2), so a kill loses no entry that was added. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/witness.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/no_cancel.h"
#include "witness_chain.h"
#include "witness_entry.h"
#include "witness_log.h"

struct tacho_witness {
    struct tch_owned_fd file;
    char absolute[PATH_MAX];
    struct tch_buf path; /* for messages */
    struct tch_chain chain;
    struct tch_buf line;
    uint64_t entries;
    off_t whole;      /* bytes of the complete lines */
    tacho_error fail; /* the first failure; code 0: there was no failure */
};

static void release(tacho_witness *w)
{
    tch_owned_close(&w->file);
    tch_buf_release(&w->line);
    tch_buf_release(&w->path);
    free(w);
}

int tacho_witness_open(const char *path, tacho_witness **ret, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_witness *w = calloc(1, sizeof *w);
    struct stat st;
    int status;

    if (!w)
        return tch_fail_memory(err);
    w->file = TCH_OWNED_NONE;
    tch_buf_init(&w->path, PATH_MAX);
    tch_buf_adds(&w->path, path);
    tch_buf_init(&w->line, TCH_WITNESS_LINE_MAX);
    tch_chain_init(&w->chain);
    status = w->path.failed ? tch_fail_memory(err) : tch_mkdirs_above(path, err);
    if (status == 0) {
        /* Make a new file instead of truncating the old one. A process that still writes to the
           old one, such as a child of a killed benchmark, then cannot write into the new file. A
           link, a pipe or a device is opened as it is. */
        if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
            (void)unlink(path);
        if (tch_absolute_path(w->absolute, path) < 0 ||
            tch_owned_take(&w->file, open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY,
                                          0666)) < 0)
            status = tch_fail_errno(err, errno, "cannot open '%s' for a witness log", path);
    }
    if (status < 0)
        release(w);
    else
        *ret = w;
    return status;
}

/* Opens the log again if the program has closed its descriptor, and continues after the last line.
 */
static bool hold(tacho_witness *w)
{
    return tch_owned_holds(&w->file) ||
           (tch_owned_regain(&w->file, AT_FDCWD, w->absolute, O_WRONLY) &&
            lseek(w->file.fd, w->whole, SEEK_SET) >= 0);
}

/* Writes the line in w->line, all or nothing: removes a line that a full disk has truncated. */
static int write_line(tacho_witness *w, tacho_error *err)
{
    int status;

    tch_chain_add(&w->chain, &w->line, 0);
    if (w->line.failed)
        return tch_fail_memory(err);
    if (!hold(w))
        return tch_owned_fail(w->path.data, err);
    status = tch_write_all(w->file.fd, w->path.data, w->line.data, w->line.len, err);
    if (status == 0)
        w->whole += (off_t)w->line.len;
    else if (ftruncate(w->file.fd, w->whole) < 0)
        return status; /* a pipe: its reader sees the fragment */
    return status;
}

/* Keeps the failure for later calls, because the chain cannot continue after a gap. */
static int keep_failure(tacho_witness *w, const tacho_error *why, tacho_error *err)
{
    if (why != &w->fail)
        w->fail = *why;
    if (err)
        *err = *why;
    return why->code;
}

int tacho_witness_add(tacho_witness *w, const tacho_witness_entry *entry, tacho_error *err)
{
    TCH_NO_CANCEL;
    tacho_error why;

    if (w->fail.code < 0)
        return keep_failure(w, &w->fail, err);
    tch_buf_clear(&w->line);
    if (tch_witness_entry_add(&w->line, entry, &why) < 0 || write_line(w, &why) < 0)
        return keep_failure(w, &why, err);
    w->entries++;
    return 0;
}

int tacho_witness_close(tacho_witness *w, tacho_error *err)
{
    TCH_NO_CANCEL;
    int status = 0;

    if (!w)
        return 0;
    if (w->fail.code < 0) {
        status = keep_failure(w, &w->fail, err);
    } else {
        tch_buf_clear(&w->line);
        tch_json_begin_object(&w->line);
        tch_json_put_u64(&w->line, "entries", w->entries);
        status = write_line(w, err);
    }
    release(w);
    return status;
}
