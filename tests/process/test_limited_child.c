/* Tests calls in a child process: their results, their limits of time and memory, how they are
   stopped. */
#include "support/test.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/limited_child.h"

static const struct tch_child_limits limits = {.cpu_seconds = 1, .memory_bytes = 16 << 20};

static void answer_then(int fd, const char *text)
{
    if (write(fd, text, strlen(text)) < 0)
        _exit(1);
}

static void answer(int fd, void *ctx)
{
    answer_then(fd, ctx);
}

static void spin(int fd, void *ctx)
{
    answer_then(fd, ctx);
    for (volatile unsigned i = 0;; i++)
        ;
}

static void use_memory(int fd, void *ctx)
{
    answer_then(fd, ctx);
    for (;;) /* not by malloc(), which sanitizers replace */
        if (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) ==
            MAP_FAILED)
            _exit(1);
}

static int call(const struct tch_child_limits *l, void (*work)(int fd, void *ctx),
                const char *expected, tacho_error *err)
{
    char text[] = "some text";
    struct tch_buf b;
    int status;

    tch_buf_init(&b, 100);
    status = tch_child_call(l, work, text, &b, err);
    assert_string_equal(b.data, expected);
    tch_buf_release(&b);
    return status;
}

static void reads_the_answer(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(call(&limits, answer, "some text", &err), 0);
}

static void limits_time(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(call(&limits, spin, "some text", &err), TACHO_ELIMIT);
    assert_string_equal(err.message, "it took more than 1 s of CPU time");
}

static void limits_memory(void **state)
{
    tacho_error err;

    (void)state;
    assert_int_equal(call(&limits, use_memory, "some text", &err), TACHO_ELIMIT);
    assert_string_equal(err.message, "it needed more than 16 MB of memory, or crashed");
}

static void can_be_stopped(void **state)
{
    volatile sig_atomic_t stop = 1;
    struct tch_child_limits l = {.cpu_seconds = 1000, .memory_bytes = 1 << 20, .stop = &stop};
    struct tch_buf b;
    tacho_error err;

    (void)state;
    tch_buf_init(&b, 100);
    assert_int_equal(tch_child_call(&l, spin, (char[]){""}, &b, &err), TACHO_EIO);
    assert_int_equal(err.system_errno, ECANCELED);
    tch_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_the_answer),
        cmocka_unit_test(limits_time),
        cmocka_unit_test(limits_memory),
        cmocka_unit_test(can_be_stopped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
