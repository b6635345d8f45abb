/* Wraps malloc() and the like by the linker: counts allocations and makes them fail on request. */
#include "test.h"

#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
void __wrap_free(void *block);

static atomic_long until_failure = -1;
static atomic_long live;

void test_alloc_fail_after(long n)
{
    atomic_store(&until_failure, n);
}

long test_alloc_live(void)
{
    return atomic_load(&live);
}

static bool fails_now(void)
{
    long n = atomic_load(&until_failure);

    if (n < 0)
        return false;
    if (n == 0)
        return true;
    atomic_store(&until_failure, n - 1);
    return false;
}

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add(&live, 1);
    return block;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : counted(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails_now() ? NULL : counted(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails_now())
        return NULL;
    return old ? __real_realloc(old, size) : counted(__real_realloc(NULL, size));
}

char *__wrap_strdup(const char *text)
{
    return fails_now() ? NULL : counted(__real_strdup(text));
}

void __wrap_free(void *block)
{
    if (block)
        atomic_fetch_sub(&live, 1);
    __real_free(block);
}

void test_every_allocation_fails(int (*call)(void *arg), void *arg)
{
    for (long n = 0; n < 100000; n++) {
        long before = test_alloc_live();
        int result;

        test_alloc_fail_after(n);
        result = call(arg);
        test_alloc_fail_after(-1);
        assert_int_equal(test_alloc_live(), before);
        if (result == 0)
            return;
    }
    fail_msg("the call never succeeded");
}
