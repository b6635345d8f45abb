/* Reads small files under a root, such as those of sysfs. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/no_cancel.h"
#include "base/number.h"
#include "lib/measure/under_root.h"
#include "power_meter.h"

void tch_power_path(char out[PATH_MAX], const char *root, const char *folder, const char *entry,
                    const char *file)
{
    int len = snprintf(out, PATH_MAX, "%s%s/%s/%s", root, folder, entry, file);

    if (len < 0 || len >= PATH_MAX)
        out[0] = '\0'; /* there is no such file */
}

int tch_power_line(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len;
    int number;

    out[0] = '\0';
    if (fd < 0)
        return errno;
    len = read(fd, out, size - 1);
    number = len < 0 ? errno : 0;
    close(fd);
    if (len < 0)
        len = 0;
    while (len > 0 && strchr(" \t\r\n", out[len - 1]))
        len--;
    out[len] = '\0';
    return number;
}

int tch_power_number(const char *path, uint64_t *ret)
{
    char text[64];
    int number = tch_power_line(path, text, sizeof text);

    if (number == 0 && tch_parse_u64(text, UINT64_MAX, ret) < 0)
        return EINVAL;
    return number;
}

void tch_power_add_domain(tacho_power_source *source, const char *name)
{
    size_t len = strlen(source->domain);

    snprintf(source->domain + len, sizeof source->domain - len, "%s%s", len > 0 ? "+" : "", name);
}

bool tch_power_next(const char *root, const char *folder, const char *prefix,
                    char name[NAME_MAX + 1])
{
    char path[PATH_MAX];
    char best[NAME_MAX + 1] = "";
    struct dirent *entry;
    DIR *dir;

    tch_power_path(path, root, folder, "", "");
    dir = opendir(path);
    while (dir && (entry = readdir(dir)))
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0 &&
            strcmp(entry->d_name, name) > 0 && (!best[0] || strcmp(entry->d_name, best) < 0))
            memcpy(best, entry->d_name, strlen(entry->d_name) + 1);
    if (dir)
        closedir(dir);
    if (best[0])
        memcpy(name, best, strlen(best) + 1);
    return best[0] != '\0';
}

bool tch_power_step(uint64_t before, uint64_t now, uint64_t range, uint64_t *ret)
{
    if (now >= before) {
        *ret = now - before;
        return true;
    }
    if (range == 0 || before > range)
        return false;
    *ret = range - before + now;
    return true;
}

int tch_cpu_busy(const char *root, uint64_t *ret_ns, tacho_error *err)
{
    char path[PATH_MAX];
    char text[512];
    const char *at = text + 3;
    uint64_t tick_ns = 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
    uint64_t busy = 0;
    int number;

    tch_power_path(path, root, "/proc", "stat", "");
    path[strlen(path) > 0 ? strlen(path) - 1 : 0] = '\0'; /* the last slash */
    number = tch_power_line(path, text, sizeof text);
    if (number != 0)
        return tch_fail_errno(err, number, "cannot read '%s'", path);
    /* The columns are: cpu user nice system idle iowait irq softirq steal. Busy time is all of
       them except idle, iowait, and steal, in which another virtual machine was busy. */
    for (int i = 0; i < 7; i++) {
        const char *start = at + strspn(at, " ");
        size_t len = strcspn(start, " \n");
        uint64_t ticks;

        if (strncmp(text, "cpu ", 4) != 0 || tch_parse_u64_n(start, len, UINT64_MAX, &ticks) < 0)
            return tch_fail(err, TACHO_EIO, 0, "cannot parse '%s'", path);
        busy += i == 3 || i == 4 ? 0 : ticks;
        at = start + len;
    }
    *ret_ns = busy * tick_ns;
    return 0;
}

int tacho_cpu_busy(uint64_t *ret_ns, tacho_error *err)
{
    TCH_NO_CANCEL;

    return tch_cpu_busy("", ret_ns, err);
}
