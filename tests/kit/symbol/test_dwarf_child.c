/* Tests the process that reads debug information: its answers, its privileges, its deaths. */
#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "kit/symbol/dwarf_child.h"
#include "kit/symbol/symbol_demangle.h"

/* Finds the load address of this program. */
static int find_base(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1; /* the first one is the program */
}

/* Returns the linked address of a function of this program. */
static uint64_t linked(void (*function)(void **))
{
    uint64_t base = 0;

    dl_iterate_phdr(find_base, &base);
    return (uint64_t)(uintptr_t)function - base;
}

/* Returns the process id of the worker: the first of our children that is alive. */
static pid_t child_pid(void)
{
    char path[64];
    struct tch_buf b;
    uint64_t pid = 0;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    tch_buf_init(&b, 4096);
    assert_int_equal(tch_file_read(path, 4096, &b, NULL), 0);
    assert_int_equal(tch_parse_u64_n(b.data, strcspn(b.data, " "), INT32_MAX, &pid), 0);
    tch_buf_release(&b);
    return (pid_t)pid;
}

static struct tch_dwarf_child *start_with_self(uint32_t object)
{
    struct tch_dwarf_child *child = tch_dwarf_child_start();

    assert_non_null(child);
    assert_true(tch_dwarf_child_open(child, object, open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    return child;
}

static void names_the_functions_at_an_address(void **state)
{
    struct tch_dwarf_child *child = start_with_self(7);
    struct tch_dwarf_query queries[] = {
        {.addr = linked(names_the_functions_at_an_address), .object = 7},
        {.addr = 1, .object = 7},
        {.addr = linked(names_the_functions_at_an_address), .object = 8},
        {.addr = linked(names_the_functions_at_an_address), .object = 7},
    };
    struct tch_scope scopes[TCH_INLINE_DEEPEST];
    uint32_t object;
    size_t count;

    (void)state;
    assert_true(tch_dwarf_child_find(child, queries, 4, true));
    count = tch_dwarf_child_next(child, scopes);
    if (count == 0) { /* this program was built without debug information */
        tch_dwarf_child_close(child);
        skip();
    }
    assert_string_equal(scopes[count - 1].name, __func__);
    assert_non_null(strstr(scopes[count - 1].file, "test_dwarf_child.c"));
    assert_true(scopes[count - 1].line > 0);
    assert_int_equal(tch_dwarf_child_next(child, scopes), 0); /* no such address */
    assert_int_equal(tch_dwarf_child_next(child, scopes), 0); /* no such object */
    assert_int_equal(tch_dwarf_child_next(child, scopes), count);
    assert_int_equal(tch_dwarf_child_next(child, scopes), 0); /* no more */
    assert_true(tch_dwarf_child_find(child, queries, 1, false));
    assert_int_equal(tch_dwarf_child_next(child, scopes), count);
    assert_null(scopes[0].file);
    assert_null(tch_dwarf_child_death(child, 0, &object));
    tch_dwarf_child_end(child);
    assert_null(tch_dwarf_child_death(child, 0, &object));
    tch_dwarf_child_close(child);
}

static void has_no_privileges(void **state)
{
    struct tch_dwarf_child *child = start_with_self(1);
    struct tch_dwarf_query query = {.addr = 1, .object = 1};
    char path[64];
    struct tch_buf b;

    (void)state;
    assert_true(tch_dwarf_child_find(child, &query, 1, false)); /* it has begun to work */
    snprintf(path, sizeof path, "/proc/%d/status", (int)child_pid());
    tch_buf_init(&b, 1 << 16);
    assert_int_equal(tch_file_read(path, 1 << 16, &b, NULL), 0);
    assert_non_null(strstr(b.data, "NoNewPrivs:\t1\n"));
    assert_non_null(strstr(b.data, "CapEff:\t0000000000000000\n"));
    assert_non_null(strstr(b.data, "CapPrm:\t0000000000000000\n"));
    if (geteuid() == 0)
        assert_non_null(strstr(b.data, "Uid:\t65534\t65534\t65534\t65534\n"));
    tch_buf_release(&b);
    tch_dwarf_child_close(child);
}

/* An object kills a worker and then has no functions. The next worker knows all other objects. When
   no worker is left, nothing is found. */
static void its_death_is_no_failure_of_ours(void **state)
{
    struct tch_dwarf_child *child = start_with_self(0);
    uint64_t here = linked(its_death_is_no_failure_of_ours);
    struct tch_dwarf_query queries[] = {
        {.addr = here, .object = TCH_DWARF_WORKERS}, /* never deadly */
        {.addr = here, .object = 0},
    };
    struct tch_scope scopes[TCH_INLINE_DEEPEST];
    uint32_t object = 99;
    size_t count;

    (void)state;
    for (uint32_t i = 1; i <= TCH_DWARF_WORKERS; i++)
        assert_true(tch_dwarf_child_open(child, i, open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    assert_true(tch_dwarf_child_find(child, queries, 1, false));
    count = tch_dwarf_child_next(child, scopes);
    for (uint32_t i = 0; i < TCH_DWARF_WORKERS; i++) {
        queries[1].object = i;
        assert_true(tch_dwarf_child_find(child, queries, 2, false));
        assert_int_equal(tch_dwarf_child_next(child, scopes), count);
        assert_int_equal(tch_dwarf_child_next(child, scopes), count);
        assert_null(tch_dwarf_child_death(child, i, &object));
        kill(child_pid(), SIGSEGV);
        if (i + 1 < TCH_DWARF_WORKERS) {
            assert_true(tch_dwarf_child_find(child, queries, 2, false));
            assert_int_equal(tch_dwarf_child_next(child, scopes), count);
            assert_int_equal(tch_dwarf_child_next(child, scopes), 0);
        } else {
            assert_false(tch_dwarf_child_find(child, queries, 2, false));
            assert_int_equal(tch_dwarf_child_next(child, scopes), 0);
        }
        assert_string_equal(tch_dwarf_child_death(child, i, &object), "failed");
        assert_int_equal(object, i);
    }
    assert_false(tch_dwarf_child_open(child, 9, open("/proc/self/exe", O_RDONLY | O_CLOEXEC)));
    tch_dwarf_child_close(child);
}

/* "f(pair<int, int>, pair<S0, S0>, ...)": each argument is twice as long as the one before. */
static void make_growing_name(char *name, size_t size, unsigned arguments)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    size_t len = (size_t)snprintf(name, size, "_Z1f4pairIiiE");

    for (unsigned i = 0; i < arguments; i++)
        len += (size_t)snprintf(name + len, size - len, i < 36 ? "S_IS%c_S%c_E" : "S_IS1%c_S1%c_E",
                                digits[i % 36], digits[i % 36]);
}

/* Runs last, because it permanently lowers the memory limit, which the child then reaches soon. */
static void names_that_grow_are_for_the_child(void **state)
{
    struct rlimit limit = {.rlim_cur = 1, .rlim_max = 2};
    struct tch_dwarf_child *child;
    char name[1024];
    const char *text;
    uint32_t object;

    (void)state;
    assert_int_equal(setrlimit(RLIMIT_CPU, &limit), 0);
    child = tch_dwarf_child_start();
    assert_non_null(child);
    assert_false(tch_demangle_grows("_ZNSt6vectorIiSaIiEE9push_backERKi"));
    assert_false(tch_demangle_grows("S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_S_"));
    make_growing_name(name, sizeof name, 10);
    assert_true(tch_demangle_grows(name));
    text = tch_dwarf_child_demangle(child, 5, name);
    if (!text) { /* there is no C++ library */
        tch_dwarf_child_close(child);
        skip();
    }
    assert_memory_equal(text, "f(pair<int, int>, pair<pair<int, int>, pair<int, int> >", 54);
    assert_null(tch_dwarf_child_demangle(child, 5, "_Znonsense"));
    make_growing_name(name, sizeof name, 45);
    assert_null(tch_dwarf_child_demangle(child, 6, name)); /* some terabytes */
    assert_non_null(tch_dwarf_child_death(child, 0, &object));
    assert_int_equal(object, 6);
    assert_null(tch_dwarf_child_demangle(child, 6, name)); /* is not tried again */
    assert_null(tch_dwarf_child_death(child, 1, &object));
    tch_dwarf_child_close(child);
}

static void keeps_no_file_of_ours(void **state)
{
    int ours = open("/dev/null", O_RDONLY); /* not even without O_CLOEXEC */
    struct tch_dwarf_child *child = tch_dwarf_child_start();
    struct tch_dwarf_query query = {.addr = 1, .object = 1};
    char path[64];
    size_t count = 0;
    DIR *dir;

    (void)state;
    assert_non_null(child);
    assert_true(tch_dwarf_child_find(child, &query, 1, false));
    snprintf(path, sizeof path, "/proc/%d/fd", (int)child_pid());
    dir = opendir(path);
    if (dir) { /* only root may read it, because the child is not dumpable */
        for (struct dirent *e = readdir(dir); e; e = readdir(dir))
            count += e->d_name[0] != '.';
        closedir(dir);
        assert_int_equal(count, 4); /* standard ones, and the socket */
    }
    tch_dwarf_child_close(child);
    close(ours);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_functions_at_an_address),
        cmocka_unit_test(has_no_privileges),
        cmocka_unit_test(its_death_is_no_failure_of_ours),
        cmocka_unit_test(keeps_no_file_of_ours),
        cmocka_unit_test(names_that_grow_are_for_the_child),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
