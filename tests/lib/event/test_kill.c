/*
 * Kills writers at any moment: every push that returned can be read back, and lines that they leave
 * unfinished are reported as torn. There are 200 kills, half of them with short lines, half with
 * long ones.
 */
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <tacho/event.h>

#include "base/json_read.h"
#include "support/system.h"

enum { THREADS = 4, SHORT_LINE = 388, LONG_LINE = 9000 };

/* Number of pushes of each thread that have returned, in shared memory that survives the writer. */
struct shared {
    _Atomic uint64_t returned[THREADS];
};

static struct shared *shared;
static tacho_event_writer *writer;
static uint64_t random_state = 42;

static uint64_t next_random(void)
{
    uint64_t x = random_state += 0x9E3779B97F4A7C15u;

    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    return x ^ x >> 31;
}

static void *push_forever(void *arg)
{
    size_t thread = (size_t)(uintptr_t)arg;

    for (uint64_t i = 0;; i++) {
        if (tacho_event_push(writer, "e", TACHO_FIELDS(tacho_u64("i", i), tacho_u64("t", thread)),
                             TACHO_NO_FIELDS, false, NULL) < 0)
            _exit(1);
        atomic_store(&shared->returned[thread], i + 1);
    }
    return NULL;
}

/* Runs in the child: threads push until they are killed. The model's name makes lines long. */
static void write_until_killed(size_t line)
{
    enum { REST = 190 };
    static char model[LONG_LINE];
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    pthread_t thread;

    memset(model, 'm', line - REST);
    config.path = test_at("p");
    config.model = model;
    if (tacho_event_open(&config, &writer, NULL) < 0)
        _exit(2);
    for (size_t i = 1; i < THREADS; i++)
        if (pthread_create(&thread, NULL, push_forever, (void *)(uintptr_t)i) != 0)
            _exit(3);
    push_forever((void *)(uintptr_t)0);
}

static pid_t start(size_t line)
{
    pid_t child;

    for (size_t i = 0; i < THREADS; i++)
        atomic_store(&shared->returned[i], 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_until_killed(line);
    return child;
}

static void sleep_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Kills the child at some moment after its first push. */
static void kill_somewhere(pid_t child, long most_ns)
{
    int status;

    while (atomic_load(&shared->returned[0]) == 0)
        sleep_ns(20 * 1000);
    sleep_ns((long)(next_random() % (uint64_t)most_ns));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static uint64_t shape_number(const tacho_event_view *event, const char *name)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value = {0};

    tch_json_open(&r, event->shape.text, event->shape.len, NULL);
    tch_json_read(&r, &key);
    while (tch_json_member(&r, &key) > 0 && tch_json_read(&r, &value) == 0)
        if (tch_json_is(&key, name))
            break;
    return tch_json_to_number(&value).as.u64;
}

/* Reads all events of the file and counts them per thread. Returns the number of fragments. */
static uint64_t read_back(uint64_t got[THREADS])
{
    int fd = open(test_at("p"), O_RDONLY | O_CLOEXEC);
    tacho_event_reader *reader = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    uint64_t bad = 0;
    uint64_t salvaged = 0;
    uint64_t torn;
    int more;

    assert_true(fd >= 0);
    assert_int_equal(tacho_event_reader_open_fd(fd, "p", &reader, NULL), 0);
    while ((more = tacho_event_next(reader, &event, &err)) != 0) {
        if (more < 0) {
            assert_int_equal(more, TACHO_EPARSE);
            assert_non_null(strstr(err.message, "torn"));
            bad++;
            continue;
        }
        uint64_t thread = shape_number(&event, "t");

        assert_true(thread < THREADS);
        /* The lines of a thread are in the order of its pushes, and no line between them may be
           missing. */
        assert_int_equal(shape_number(&event, "i"), got[thread]);
        got[thread]++;
        salvaged += event.torn > 0;
    }
    torn = tacho_event_reader_torn(reader);
    assert_int_equal(torn, bad + salvaged); /* every bad line is a torn one */
    tacho_event_reader_close(reader);
    close(fd);
    return torn;
}

static void kill_many(size_t line)
{
    long kills = test_tries(100);
    uint64_t torn = 0;
    uint64_t events = 0;

    for (int i = 0; i < kills; i++) {
        uint64_t got[THREADS] = {0};
        pid_t child = start(line);

        kill_somewhere(child, 3 * 1000 * 1000);
        torn += read_back(got);
        for (size_t k = 0; k < THREADS; k++) {
            uint64_t returned = atomic_load(&shared->returned[k]);

            /* There may be one more, whose push had not returned. */
            assert_true(got[k] == returned || got[k] == returned + 1);
            events += got[k];
        }
        unlink(test_at("p"));
    }
    print_message("%ld kills, lines of %zu bytes: %llu events read back, %llu fragments\n", kills,
                  line, (unsigned long long)events, (unsigned long long)torn);
}

static void short_lines_survive_every_kill(void **state)
{
    (void)state;
    kill_many(SHORT_LINE);
}

static void long_lines_survive_every_kill(void **state)
{
    (void)state;
    kill_many(LONG_LINE);
}

/* This process keeps writing to the file while others are killed. */
static void a_writer_that_is_not_killed_loses_nothing(void **state)
{
    enum { ROUNDS = 20, MINE = 500 };
    tacho_event_writer *mine = NULL;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    uint64_t pushed = 0;
    uint64_t found = 0;
    uint64_t others = 0;
    tacho_event_reader *reader = NULL;
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    int more;
    int fd;

    (void)state;
    config.path = test_at("p");
    assert_int_equal(tacho_event_open(&config, &mine, NULL), 0);
    for (int i = 0; i < ROUNDS; i++) {
        pid_t child = start(LONG_LINE);

        for (int k = 0; k < MINE; k++, pushed++)
            assert_int_equal(tacho_event_push(mine, "mine", TACHO_FIELDS(tacho_u64("i", pushed)),
                                              TACHO_NO_FIELDS, false, NULL),
                             0);
        kill_somewhere(child, 1000 * 1000);
        for (size_t k = 0; k < THREADS; k++)
            others += atomic_load(&shared->returned[k]);
        /* Directly after the bytes that the killed writer left, on the same line if these are a
           fragment. */
        assert_int_equal(tacho_event_push(mine, "mine", TACHO_FIELDS(tacho_u64("i", pushed)),
                                          TACHO_NO_FIELDS, false, NULL),
                         0);
        pushed++;
    }
    tacho_event_close(mine);
    fd = open(test_at("p"), O_RDONLY | O_CLOEXEC);
    assert_int_equal(tacho_event_reader_open_fd(fd, "p", &reader, NULL), 0);
    while ((more = tacho_event_next(reader, &event, NULL)) != 0) {
        if (more < 0)
            continue;
        if (event.event.len == strlen("\"mine\"")) {
            assert_int_equal(shape_number(&event, "i"), found);
            found++;
        } else if (others > 0) {
            others--;
        }
    }
    assert_int_equal(found, pushed);
    assert_int_equal(others, 0);
    tacho_event_reader_close(reader);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(short_lines_survive_every_kill),
        TEST_IN_HOME(long_lines_survive_every_kill),
        TEST_IN_HOME(a_writer_that_is_not_killed_loses_nothing),
    };

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
