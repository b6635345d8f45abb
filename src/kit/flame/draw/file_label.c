/* Makes file names from labels, and reads the label of a file. */
#include "file_label.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "alphanumeric.h"
#include "base/fail.h"
#include "base/utf8.h"
#include "kit/file/found_file.h"
#include "kit/text/xml.h"

bool tch_is_alphanumeric(uint32_t code)
{
    size_t low = 0;
    size_t high = sizeof alphanumeric / sizeof alphanumeric[0];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (code > alphanumeric[middle][1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof alphanumeric / sizeof alphanumeric[0] && code >= alphanumeric[low][0];
}

void tch_label_file(struct tch_buf *b, const char *label)
{
    size_t len = strlen(label);

    tch_buf_adds(b, "flamegraph-");
    for (size_t i = 0; i < len;) {
        uint32_t code;
        size_t step = tch_utf8_decode(label + i, len - i, &code);

        if (step > 0 && (code == '-' || code == '_' || tch_is_alphanumeric(code)))
            tch_buf_add(b, label + i, step);
        else
            tch_buf_addc(b, '_');
        i += step > 0 ? step : 1;
    }
    tch_buf_adds(b, ".svg");
}

int tch_label_replace(struct tch_replace *r, const char *path, tacho_error *err)
{
    const char *name = tch_base_name(path);
    char folder[PATH_MAX];

    tch_folder_before(folder, path, name);
    return tch_found_replace(r, folder, name, path, err);
}

/* Reads the head of an open file, which contains the label, and closes it. */
static ssize_t read_head(int fd, char *head, size_t size)
{
    size_t len = 0;
    ssize_t n = 1;

    while (len < size && n > 0) {
        n = tch_read_some(fd, head + len, size - len);
        if (n > 0)
            len += (size_t)n;
    }
    close(fd);
    return n < 0 ? -1 : (ssize_t)len;
}

int tch_label_check(const char *path, const char *label, tacho_error *err)
{
    const char *name = tch_base_name(path);
    char folder[PATH_MAX];
    char head[16 * 1024];
    struct tch_buf ours;
    ssize_t len;
    int status = 0;
    int fd;

    tch_folder_before(folder, path, name);
    fd = tch_found_open(folder, name, err);
    if (fd < 0)
        return errno == ENOENT ? 0 : fd;
    len = read_head(fd, head, sizeof head);
    if (len < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", path);
    tch_buf_init(&ours, 1 << 20);
    tch_buf_adds(&ours, " data-label=\"");
    tch_xml_add_line(&ours, label, strlen(label));
    tch_buf_addc(&ours, '"');
    if (!memmem(head, (size_t)len, "class=\"tacho-flame\"", 19))
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "'%s' exists and was not written by tacho; replace it with --force "
                          "(TACHO_FLAME_FORCE), or choose another label",
                          tch_base_name(path));
    else if (ours.failed || !memmem(head, (size_t)len, ours.data, ours.len))
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "'%s' exists and belongs to another label; replace it with --force "
                          "(TACHO_FLAME_FORCE), or choose another label",
                          tch_base_name(path));
    tch_buf_release(&ours);
    return status;
}

int tch_label_keep_previous(const char *path, char **ret, tacho_error *err)
{
    const char *slash = strrchr(path, '/');
    /* The part of the file name that is the label has no '.'. */
    const char *point = strchr(slash ? slash : path, '.');
    struct tch_buf kept;
    char *name;

    if (access(path, F_OK) < 0)
        return 0;
    tch_buf_init(&kept, PATH_MAX);
    tch_buf_add(&kept, path, (size_t)(point - path));
    tch_buf_addf(&kept, ".old%s", point);
    name = tch_buf_take(&kept);
    tch_buf_release(&kept);
    if (!name)
        return tch_fail_memory(err);
    if (rename(path, name) < 0) {
        tch_fail_errno(err, errno, "cannot rename the earlier '%s' to '%s'", path, name);
        free(name);
        return TACHO_EIO;
    }
    if (ret)
        *ret = name;
    else
        free(name);
    return 0;
}
