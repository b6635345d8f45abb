/* Writing a log: one write(2) an entry, so that a kill loses none that was added. */
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
#include "witness_chain.h"
#include "witness_entry.h"
#include "witness_log.h"

struct tacho_witness {
    int fd;
    struct tch_buf path; /* for messages */
    struct tch_chain chain;
    struct tch_buf line;
    uint64_t entries;
    off_t whole;      /* bytes of the lines that are whole */
    tacho_error fail; /* what failed first; code 0: nothing */
};

static void release(tacho_witness *w)
{
    if (w->fd >= 0)
        close(w->fd);
    tch_buf_release(&w->line);
    tch_buf_release(&w->path);
    free(w);
}

/* A new file, not the old one emptied: who still writes that, such as what a killed benchmark left
   running, cannot write into ours. A link, a pipe or a device is opened as it is. */
static int open_new(const char *path)
{
    struct stat st;

    if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
        (void)unlink(path);
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
}

int tacho_witness_open(const char *path, tacho_witness **ret, tacho_error *err)
{
    tacho_witness *w = calloc(1, sizeof *w);
    int status;

    if (!w)
        return tch_fail_memory(err);
    w->fd = -1;
    tch_buf_init(&w->path, PATH_MAX);
    tch_buf_adds(&w->path, path);
    tch_buf_init(&w->line, TCH_WITNESS_LINE_MAX);
    tch_chain_init(&w->chain);
    status = w->path.failed ? tch_fail_memory(err) : tch_mkdirs_above(path, err);
    if (status == 0) {
        w->fd = open_new(path);
        if (w->fd < 0)
            status = tch_fail_errno(err, errno, "cannot open '%s' for a witness log", path);
    }
    if (status < 0)
        release(w);
    else
        *ret = w;
    return status;
}

void tch_witness_end_add(struct tch_buf *b, uint64_t entries)
{
    tch_json_begin_object(b);
    tch_json_key(b, "entries");
    tch_json_u64(b, entries);
}

/* The line in w->line, whole or not at all: what a full disk took of it is given back. */
static int put_line(tacho_witness *w, tacho_error *err)
{
    int status;

    tch_chain_add(&w->chain, &w->line, 0);
    if (w->line.failed)
        return tch_fail_memory(err);
    status = tch_write_all(w->fd, w->path.data, w->line.data, w->line.len, err);
    if (status == 0)
        w->whole += (off_t)w->line.len;
    else if (ftruncate(w->fd, w->whole) < 0)
        return status; /* a pipe: its reader sees the fragment */
    return status;
}

/* Keeps what failed for the calls that follow: after a gap the chain is at its end. */
static int note(tacho_witness *w, const tacho_error *why, tacho_error *err)
{
    if (why != &w->fail)
        w->fail = *why;
    if (err)
        *err = *why;
    return why->code;
}

int tacho_witness_add(tacho_witness *w, const tacho_witness_entry *entry, tacho_error *err)
{
    tacho_error why;

    if (w->fail.code < 0)
        return note(w, &w->fail, err);
    tch_buf_clear(&w->line);
    if (tch_witness_entry_add(&w->line, entry, &why) < 0 || put_line(w, &why) < 0)
        return note(w, &why, err);
    w->entries++;
    return 0;
}

int tacho_witness_close(tacho_witness *w, tacho_error *err)
{
    int status = 0;

    if (!w)
        return 0;
    if (w->fail.code < 0) {
        status = note(w, &w->fail, err);
    } else {
        tch_buf_clear(&w->line);
        tch_witness_end_add(&w->line, w->entries);
        status = put_line(w, err);
    }
    release(w);
    return status;
}
