/* Runs processes that record, and reads their recordings. */
#include "seen.h"

#include <dirent.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/trace/recording_walk.h"
#include "support/system.h"
#include "support/test.h"

extern char **environ;

static void run_child(const char *trace_out, const char *const *variables, const char *const *args)
{
    char *argv[8] = {(char *)(uintptr_t)TRACE_CHILD};

    unsetenv("TACHO_TRACE_OUT");
    unsetenv("TACHO_TRACE_LIMIT");
    unsetenv("TACHO_CLOCK");
    unsetenv("TACHO_RUN_DIR");
    unsetenv("FERRUM_TRACE_OUT");
    if (trace_out)
        setenv("TACHO_TRACE_OUT", trace_out, 1);
    for (; variables && *variables; variables++)
        putenv((char *)(uintptr_t)*variables);
    for (int i = 0; i < 6 && args[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)args[i];
    execv(argv[0], argv);
    _exit(98);
}

pid_t seen_start(const char *trace_out, const char *const *variables, const char *const *args,
                 int *out)
{
    int ends[2] = {-1, -1};
    pid_t pid;

    if (out)
        assert_return_code(pipe(ends), errno);
    pid = fork();
    assert_return_code(pid, errno);
    if (pid == 0) {
        if (out)
            dup2(ends[1], STDOUT_FILENO);
        run_child(trace_out, variables, args);
    }
    if (out) {
        close(ends[1]);
        *out = ends[0];
    }
    return pid;
}

int seen_wait(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

void seen_run(const char *trace_out, const char *const *variables, const char *const *args,
              char *line)
{
    int out;
    pid_t pid = seen_start(trace_out, variables, args, &out);
    char text[64] = "";
    size_t len = 0;
    ssize_t got;

    while (len < sizeof text - 1 && (got = read(out, text + len, sizeof text - 1 - len)) > 0)
        len += (size_t)got;
    close(out);
    assert_int_equal(seen_wait(pid), 0);
    text[strcspn(text, "\n")] = '\0';
    if (line)
        memcpy(line, text, sizeof text);
}

static int see(void *ctx, const struct tch_seen_event *e)
{
    struct seen *s = ctx;
    const struct tch_rec_name *name;
    size_t i = 0;

    if (e->seen == TCH_SEEN_OTHER && (e->kind == TCH_REC_THREAD || e->kind == TCH_REC_THREAD_NAME ||
                                      e->kind == TCH_REC_PROCESS_NAME))
        return 0;
    name = tch_rec_site(&s->r, e->id);
    while (i < s->count && (strlen(s->names[i].name) != name->name_len ||
                            memcmp(s->names[i].name, name->name, name->name_len) != 0))
        i++;
    if (i == s->count) {
        assert_true(s->count < 64 && name->name_len < 64);
        memcpy(s->names[i].name, name->name, name->name_len);
        s->count++;
    }
    s->names[i].begins += e->seen == TCH_SEEN_BEGIN;
    s->names[i].ends += e->seen == TCH_SEEN_END;
    s->names[i].unfinished += e->seen == TCH_SEEN_UNFINISHED;
    s->names[i].others += e->seen == TCH_SEEN_OTHER;
    return 0;
}

void seen_read(struct seen *s, const char *recording)
{
    tacho_error err = {0};

    memset(s, 0, sizeof *s);
    if (tch_recording_open(&s->r, recording, &err) < 0 ||
        tch_recording_walk(&s->r, see, s, &err) < 0)
        fail_msg("%s", err.message);
    tch_recording_close(&s->r);
    assert_int_equal(s->r.damaged, 0);
}

static size_t find(const struct seen *s, const char *name)
{
    size_t i = 0;

    while (i < s->count && strcmp(s->names[i].name, name) != 0)
        i++;
    return i;
}

uint64_t seen_spans(const struct seen *s, const char *name)
{
    size_t i = find(s, name);

    return i < s->count ? s->names[i].ends : 0;
}

uint64_t seen_unfinished(const struct seen *s, const char *name)
{
    size_t i = find(s, name);

    return i < s->count ? s->names[i].unfinished : 0;
}

uint64_t seen_others(const struct seen *s, const char *name)
{
    size_t i = find(s, name);

    return i < s->count ? s->names[i].others : 0;
}

const char *seen_find(const char *ending)
{
    static char path[512];
    DIR *folder = opendir(test_home);
    struct dirent *entry;
    const char *found = NULL;

    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        size_t len = strlen(entry->d_name), tail = strlen(ending);

        if (len < tail || strcmp(entry->d_name + len - tail, ending) != 0 ||
            entry->d_name[0] == '.')
            continue;
        if (found)
            fail_msg("'%s' and '%s' both end in %s", found, entry->d_name, ending);
        snprintf(path, sizeof path, "%s/%s", test_home, entry->d_name);
        found = path;
    }
    closedir(folder);
    return found;
}
