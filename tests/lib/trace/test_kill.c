/* Kills programs at random moments: every call that returned is in the recording. */
#include "support/test.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "seen.h"
#include "support/system.h"

static struct seen seen;

static _Atomic uint64_t *make_counts(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    void *at;

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 4096), 0);
    at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    close(fd);
    return at;
}

/* Kills the child after so many microseconds. Returns the number of spans found. */
static uint64_t kill_once(_Atomic uint64_t *counts, unsigned after_us)
{
    const char *out = test_at("trace.json");
    const char *args[] = {"kill", test_at("counts"), NULL};
    uint64_t total = 0, any = 0;
    const char *recording;
    pid_t pid;

    for (int i = 0; i < 4; i++)
        atomic_store(&counts[i], 0);
    pid = seen_start(out, NULL, args, NULL);
    usleep(after_us);
    kill(pid, SIGKILL);
    assert_int_equal(seen_wait(pid), SIGKILL);
    for (int i = 0; i < 4; i++)
        any += atomic_load(&counts[i]);
    recording = seen_find(".tacho");
    if (any == 0) { /* killed before the first span, perhaps before the header was complete */
        if (recording)
            assert_int_equal(unlink(recording), 0);
        return 0;
    }
    assert_non_null(recording);
    seen_read(&seen, recording);
    assert_int_equal(seen.r.head.dropped, 0);
    assert_int_equal(seen.r.lost_ends, 0);
    assert_int_equal(seen.r.lost_begins, 0);
    for (int i = 0; i < 4; i++) {
        char name[32];
        uint64_t returned = atomic_load(&counts[i]), found;

        snprintf(name, sizeof name, "thread %d", i);
        found = seen_spans(&seen, name);
        if (found < returned || found > returned + 1)
            fail_msg("%s: %llu calls returned, %llu spans found", name,
                     (unsigned long long)returned, (unsigned long long)found);
        total += found;
    }
    assert_int_equal(unlink(recording), 0);
    return total;
}

static void loses_nothing(void **state)
{
    long kills = test_tries(200);
    _Atomic uint64_t *counts = make_counts(test_at("counts"));
    uint64_t total = 0, random = 1;

    (void)state;
    for (int i = 0; i < kills; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        total += kill_once(counts, (unsigned)(random >> 33) % 60000);
    }
    print_message("%ld kills, %llu spans, none lost\n", kills, (unsigned long long)total);
    assert_true(total > 0);
    munmap((void *)(uintptr_t)counts, 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
