/* `tacho flame`: reads a profile and reports what was left out of it. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd_flame_parts.h"
#include "kit/flame/stack/frame_kind.h"

/* Adds "'instructions' (25 samples), 'faults' (1 sample)". */
static void add_events(struct tch_buf *b, const struct tch_read_notes *notes)
{
    enum { MOST = 5 };

    for (uint32_t i = 0; i < notes->events.count && i < MOST; i++) {
        struct tch_span name = tch_span_interned(&notes->events, i);

        tch_buf_addf(b, "%s'%.*s' (%llu %s)", i ? ", " : "", (int)name.len, name.p,
                     (unsigned long long)notes->event_counts[i],
                     notes->event_counts[i] == 1 ? "sample" : "samples");
    }
    if (notes->events.count > MOST)
        tch_buf_addf(b, " and %u more", notes->events.count - MOST);
}

static void warn_of_gaps(const struct flame *f, const struct tch_read_notes *notes)
{
    if (notes->ignored > 0)
        cli_warn("'%s': %llu %s not understood, the first is line %llu", f->input,
                 (unsigned long long)notes->ignored, notes->ignored == 1 ? "line" : "lines",
                 (unsigned long long)notes->first_ignored);
    if (notes->fractional)
        cli_warn("'%s': counts with a fraction are truncated to whole numbers", f->input);
    if (notes->events.count > 0 && notes->samples > 0) {
        struct tch_buf b;

        tch_buf_init(&b, 1 << 16);
        add_events(&b, notes);
        cli_warn("'%s': only event '%.*s' is counted, left out: %s; choose one with --event-filter",
                 f->input, (int)notes->event.len, notes->event.p, b.data);
        tch_buf_release(&b);
    }
    if (f->stacks.cut > 0)
        cli_warn("'%s': %llu samples were deeper than %d frames; their deeper frames are left out",
                 f->input, (unsigned long long)f->stacks.cut, TCH_STACK_DEEPEST);
}

static bool has_threads(const struct tch_stacks *stacks)
{
    for (uint32_t i = 0; i < stacks->count; i++) {
        const char *at = tch_stacks_first(stacks, i);
        struct tch_span name;

        if (stacks->list[i].len == 0)
            continue;
        name = tch_span_interned(&stacks->names, tch_stacks_next(&at));
        if (tch_is_thread_name(name))
            return true;
    }
    return stacks->count == 0;
}

/* Fails if the result would be worthless. */
static int check_counts(const struct flame *f, const struct tch_read_notes *notes, bool both)
{
    struct tch_buf b;

    if (notes->samples == 0 && notes->events.count > 0) {
        tch_buf_init(&b, 1 << 16);
        add_events(&b, notes);
        cli_complain(NULL, "no sample of event '%s' in '%s'; it has %s", f->read.event, f->input,
                     b.data);
        tch_buf_release(&b);
        return EXIT_WORK;
    }
    if (notes->samples == 0 && notes->ignored > 0) {
        cli_complain(NULL,
                     "no stacks in '%s': tacho does not understand any of its lines; choose the "
                     "format with --from",
                     f->input);
        return EXIT_WORK;
    }
    if (notes->both && !both) {
        cli_complain(NULL, "'%s' has two counts per line; it is a differential already", f->input);
        return EXIT_WORK;
    }
    if (f->split && !has_threads(&f->stacks)) {
        cli_complain(NULL,
                     "cannot split '%s' by thread: its stacks do not start with comm-PID/TID; "
                     "fold it with --tid",
                     f->input);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

/* Makes the unit that --count-name names that of the counts. */
static void rename_unit(struct flame *f)
{
    struct tch_counted *counted = &f->stacks.counted;

    snprintf(counted->unit, sizeof counted->unit, "%s", f->write.svg.count_name);
    counted->measure[0] = '\0';
    counted->period_ns = 0;
}

static int read_fd(struct flame *f, int fd, bool both)
{
    struct tch_flame_reader reader;
    tacho_error err;
    int status = EXIT_WORK;

    tch_read_init(&reader, &f->stacks, &f->read);
    if (f->format && f->format->in_time)
        reader.timeline = &f->timeline;
    if (tch_read_fd(&reader, fd, f->input, &err) < 0) {
        cli_complain(&err, "cannot read '%s'", f->input);
        goto out;
    }
    f->samples = tch_read_samples(&reader);
    if (f->write.svg.count_name && f->write.svg.count_name != f->unit)
        rename_unit(f);
    tch_read_unit(&reader, f->unit, sizeof f->unit);
    if (!f->write.svg.count_name)
        f->write.svg.count_name = f->unit;
    status = check_counts(f, &reader.notes, both);
    if (status == EXIT_OK && !f->args->quiet)
        warn_of_gaps(f, &reader.notes);
    if (status == EXIT_OK && reader.notes.samples == 0 && !f->args->quiet)
        cli_warn("'%s' contains no stacks", f->input);
out:
    tch_read_release(&reader);
    return status;
}

int cli_flame_read(struct flame *f, const char *path, bool both)
{
    tacho_error err;
    int status;
    int fd;

    if (!path || strcmp(path, "-") == 0) {
        f->input = "stdin";
        return read_fd(f, STDIN_FILENO, both);
    }
    f->input = path;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        tch_fail_errno(&err, errno, "cannot open '%s'", path);
        cli_complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    status = read_fd(f, fd, both);
    close(fd);
    return status;
}
