/* Parses symbols in text form: /proc/kallsyms and /tmp/perf-PID.map. */
#include "symbol_text.h"

#include "base/lines.h"

/* Reads a hexadecimal number and skips the blanks after it. Returns false if there is none. */
static bool read_hex(const char **p, const char *end, uint64_t *ret)
{
    const char *start = *p;
    uint64_t value = 0;

    if (end - start > 2 && start[0] == '0' && (start[1] | 0x20) == 'x')
        start = *p += 2;
    for (; *p < end; (*p)++) {
        char c = **p;
        unsigned digit;

        if (c >= '0' && c <= '9')
            digit = (unsigned)(c - '0');
        else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
            digit = (unsigned)((c | 0x20) - 'a') + 10;
        else
            break;
        value = value << 4 | digit;
    }
    if (*p == start || *p - start > 16 || *p == end || **p != ' ')
        return false;
    while (*p < end && **p == ' ')
        (*p)++;
    *ret = value;
    return true;
}

static bool add_kallsyms_line(struct tch_symbol_table *table, const char *p, const char *end)
{
    uint64_t addr;
    const char *name;

    if (!read_hex(&p, end, &addr) || addr == 0 || end - p < 3 || !strchr("tTwW", p[0]))
        return true;
    name = p + 2;
    for (p = name; p < end && *p != '\t' && *p != ' ';)
        p++;
    return p == name || tch_symbol_table_add(table, addr, 0, 0, name, (size_t)(p - name));
}

/* Adds one line of a map. Ranks decrease from line to line, because the last of several lines for
   one address counts. */
static bool add_perf_map_line(struct tch_symbol_table *table, const char *p, const char *end)
{
    uint64_t addr;
    uint64_t size;

    if (!read_hex(&p, end, &addr) || !read_hex(&p, end, &size) || p == end || size == 0)
        return true;
    table->full |= table->count >= TCH_PERF_MAP_LINES;
    if (table->full)
        return true;
    return tch_symbol_table_add(table, addr, size, UINT32_MAX - (uint32_t)table->count, p,
                                (size_t)(end - p));
}

static bool add_lines(struct tch_symbol_table *table, const char *text, size_t len,
                      bool (*add)(struct tch_symbol_table *table, const char *p, const char *end))
{
    struct tch_lines lines;
    struct tch_line line;
    bool ok = true;

    tch_lines_init_mem(&lines, text, len, 0);
    while (ok && tch_lines_next(&lines, &line, NULL) > 0)
        if (!line.too_long)
            ok = add(table, line.text, line.text + line.len);
    tch_lines_release(&lines);
    tch_symbol_table_sort(table);
    return ok;
}

bool tch_symbol_table_kallsyms(struct tch_symbol_table *table, const char *text, size_t len)
{
    return add_lines(table, text, len, add_kallsyms_line);
}

bool tch_symbol_table_perf_map(struct tch_symbol_table *table, const char *text, size_t len)
{
    return add_lines(table, text, len, add_perf_map_line);
}
