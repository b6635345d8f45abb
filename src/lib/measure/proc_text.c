/* Parses the files of /proc. */
#include "proc_text.h"

#include "base/number.h"
#include "base/utf8.h"

/* Parses a number of KiB, with blanks and "kB" around it, and returns bytes; 0 when it is not a
 * number. */
static uint64_t parse_kib(const char *start, const char *end)
{
    uint64_t kib;

    while (end > start && tch_is_blank(end[-1]))
        end--;
    if (end - start >= 2 && end[-2] == 'k' && end[-1] == 'B')
        end -= 2;
    while (end > start && tch_is_blank(end[-1]))
        end--;
    while (start < end && tch_is_blank(*start))
        start++;
    if (tch_parse_u64_n(start, (size_t)(end - start), UINT64_MAX / 1024, &kib) < 0)
        return 0;
    return kib * 1024;
}

/*
 * Reads all lines in one pass: outside the kernel, this is the expensive part of a full snapshot.
 */
void tch_status_parse(const char *status, struct tch_status *ret)
{
    *ret = (struct tch_status){0};
    for (const char *line = status; *line;) {
        const char *end = strchr(line, '\n');

        end = end ? end : line + strlen(line);
        if (line[0] == 'V' || line[0] == 'R') {
            if (strncmp(line, "VmRSS:", 6) == 0)
                ret->rss = parse_kib(line + 6, end);
            else if (strncmp(line, "VmHWM:", 6) == 0)
                ret->peak = parse_kib(line + 6, end);
            else if (strncmp(line, "RssAnon:", 8) == 0)
                ret->anon = parse_kib(line + 8, end);
            else if (strncmp(line, "RssFile:", 8) == 0)
                ret->file += parse_kib(line + 8, end);
            else if (strncmp(line, "RssShmem:", 9) == 0)
                ret->file += parse_kib(line + 9, end);
            else if (strncmp(line, "VmSwap:", 7) == 0) {
                ret->swap = parse_kib(line + 7, end);
                return; /* the last of the fields */
            }
        }
        line = *end ? end + 1 : end;
    }
}

/* Parses the next number up to a blank and moves *at after it. */
static bool next_number(const char **at, uint64_t *ret)
{
    const char *start = *at + strspn(*at, " ");
    size_t len = strcspn(start, " \n");

    *at = start + len;
    if (len > 0 && start[0] == '-') { /* a few fields are signed; none of them is used */
        *ret = 0;
        return true;
    }
    return tch_parse_u64_n(start, len, UINT64_MAX, ret) == 0;
}

bool tch_statm_parse(const char *statm, uint64_t *resident, uint64_t *shared)
{
    uint64_t size;

    return next_number(&statm, &size) && next_number(&statm, resident) &&
           next_number(&statm, shared);
}

bool tch_stat_parse(const char *text, struct tch_stat *ret)
{
    const char *at = strrchr(text, ')');
    uint64_t fields[20]; /* fields 4 (ppid) to 23 */

    if (!at || at[1] != ' ' || !at[2] || at[3] != ' ')
        return false;
    ret->state = at[2];
    at += 3;
    for (unsigned i = 0; i < 20; i++)
        if (!next_number(&at, &fields[i]))
            return false;
    ret->ppid = fields[0];
    ret->minor_faults = fields[6] + fields[7];
    ret->major_faults = fields[8] + fields[9];
    ret->cpu_ticks = fields[10] + fields[11] + fields[12] + fields[13];
    ret->threads = fields[16];
    ret->start = fields[18];
    return true;
}
