/* Reads files and folders of a machine under its root, for the probes. */
#include "probe_read.h"

#include <dirent.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"

enum { FILE_LIMIT = 16 << 20 }; /* /proc/cpuinfo has about 1.5 KB per CPU */

static bool full_path(const struct tch_probes *p, char path[PATH_MAX], const char *fmt,
                      va_list args)
{
    int root = snprintf(path, PATH_MAX, "%s", p->machine->root);
    int rest = root < PATH_MAX ? vsnprintf(path + root, (size_t)(PATH_MAX - root), fmt, args) : 0;

    return root + rest < PATH_MAX;
}

static bool read_path(struct tch_probes *p, struct tch_buf *b, const char *fmt, va_list args)
{
    char path[PATH_MAX];
    int code;

    tch_buf_clear(b);
    if (!full_path(p, path, fmt, args))
        return false;
    code = tch_file_read(path, FILE_LIMIT, b, NULL);
    if (code == TACHO_ENOMEM)
        p->failed = true;
    return code == 0;
}

bool tch_probe_read(struct tch_probes *p, struct tch_buf *b, const char *fmt, ...)
{
    va_list args;
    bool fine;

    va_start(args, fmt);
    fine = read_path(p, b, fmt, args);
    va_end(args);
    return fine;
}

static bool read_line(struct tch_probes *p, char *out, size_t size, const char *fmt, va_list args)
{
    struct tch_buf b;
    bool fine;

    tch_buf_init_on(&b, out, size, size - 1);
    fine = read_path(p, &b, fmt, args);
    if (!fine)
        tch_buf_clear(&b);
    while (b.len > 0 && strchr(" \t\n", b.data[b.len - 1]))
        b.data[--b.len] = '\0';
    return fine;
}

bool tch_probe_line(struct tch_probes *p, char *out, size_t size, const char *fmt, ...)
{
    va_list args;
    bool fine;

    va_start(args, fmt);
    fine = read_line(p, out, size, fmt, args);
    va_end(args);
    return fine;
}

bool tch_probe_number(struct tch_probes *p, int64_t *ret, const char *fmt, ...)
{
    char text[32];
    va_list args;
    bool fine;

    va_start(args, fmt);
    fine = read_line(p, text, sizeof text, fmt, args);
    va_end(args);
    return fine && tch_parse_i64(text, ret) == 0;
}

bool tch_probe_has(struct tch_probes *p, const char *fmt, ...)
{
    char path[PATH_MAX];
    va_list args;
    bool fits;

    va_start(args, fmt);
    fits = full_path(p, path, fmt, args);
    va_end(args);
    return fits && access(path, F_OK) == 0;
}

/* Reads the folder again for each entry. These folders are small, and nothing has to be stored. */
bool tch_probe_next(struct tch_probes *p, const char *folder, const char *prefix,
                    char name[NAME_MAX + 1])
{
    char path[PATH_MAX];
    char best[NAME_MAX + 1] = "";
    const struct dirent *entry;
    DIR *dir;

    if (snprintf(path, sizeof path, "%s%s", p->machine->root, folder) >= (int)sizeof path)
        return false;
    dir = opendir(path);
    if (!dir)
        return false;
    while ((entry = readdir(dir))) {
        bool matches = strncmp(entry->d_name, prefix, strlen(prefix)) == 0;

        if (matches && entry->d_name[0] != '.' && strcmp(entry->d_name, name) > 0 &&
            (best[0] == '\0' || strcmp(entry->d_name, best) < 0))
            snprintf(best, sizeof best, "%s", entry->d_name);
    }
    closedir(dir);
    if (best[0] != '\0')
        memcpy(name, best, sizeof best);
    return best[0] != '\0';
}

bool tch_text_field(const char *text, const char *key, char *out, size_t size)
{
    size_t key_len = strlen(key);

    out[0] = '\0';
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, key_len) != 0 || !strchr(" \t:=", line[key_len]))
            continue;
        line += key_len;
        line += strspn(line, " \t:=");

        size_t len = strcspn(line, "\n");

        while (len > 0 && strchr(" \t", line[len - 1]))
            len--;
        snprintf(out, size, "%.*s", (int)(len < size ? len : size - 1), line);
        return true;
    }
    return false;
}

bool tch_text_word(const char *text, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
        if ((at == text || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

unsigned tch_cpu_list_count(const char *list)
{
    unsigned count = 0;

    while (*list) {
        size_t len = strcspn(list, ",");
        size_t dash = strcspn(list, "-,");
        uint64_t first, last;

        if (tch_parse_u64_n(list, dash, UINT16_MAX, &first) < 0)
            return 0;
        last = first;
        if (dash < len &&
            (tch_parse_u64_n(list + dash + 1, len - dash - 1, UINT16_MAX, &last) < 0 ||
             last < first))
            return 0;
        count += (unsigned)(last - first + 1);
        list += len + (list[len] == ',');
    }
    return count;
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;

    return at ? (int)(at - digits) : -1;
}

bool tch_probe_capable(struct tch_probes *p, unsigned bit)
{
    struct tch_buf b;
    char mask[32];
    uint64_t bits = 0;

    tch_buf_init(&b, FILE_LIMIT);
    tch_probe_read(p, &b, "/proc/self/status");
    tch_text_field(b.data, "CapEff", mask, sizeof mask);
    tch_buf_release(&b);
    for (const char *c = mask; hex_digit(*c) >= 0; c++)
        bits = bits << 4 | (unsigned)hex_digit(*c);
    return (bits >> bit & 1) != 0;
}

bool tch_probe_cpu_flags(struct tch_probes *p, char *out, size_t size)
{
    struct tch_buf cpuinfo;
    bool found;

    tch_buf_init(&cpuinfo, 16 << 20);
    tch_probe_read(p, &cpuinfo, "/proc/cpuinfo");
    found = tch_text_field(cpuinfo.data, "flags", out, size);
    tch_buf_release(&cpuinfo);
    return found;
}

bool tch_probe_virtual(struct tch_probes *p)
{
    char flags[8192];

    tch_probe_cpu_flags(p, flags, sizeof flags);
    return tch_text_word(flags, "hypervisor") || tch_probe_has(p, "/sys/hypervisor/type");
}
