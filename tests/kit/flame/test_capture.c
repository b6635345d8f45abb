/* The request that <tacho/flame.h> takes, and the words of its errors. */
#include "support/test.h"

#include <errno.h>

#include <tacho/flame.h>

#include "kit/flame/backend/backend.h"
#include "kit/flame/sample/perf_rings.h"

static int try(const tacho_flame_request *request, tacho_error *err)
{
    tacho_flame *flame = NULL;
    int status = tacho_flame_capture(request, &flame, err);

    assert_null(flame); /* untouched on failure */
    return status;
}

static void a_request_must_make_sense(void **state)
{
    static const char *const argv[] = {"true", NULL};
    static const char *const empty[] = {NULL};
    tacho_flame_request r = TACHO_FLAME_REQUEST_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.argv = empty;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.argv = argv;
    r.pid = 1;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.pid = 0;
    r.rate = 1000000;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.rate = 0;
    r.stack_bytes = 12;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.stack_bytes = 0;
    r.call_graph = 9;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.call_graph = 0;
    r.flags = TACHO_FLAME_USER | TACHO_FLAME_KERNEL;
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    r.flags = 0;
    r.profiler = "no-such";
    assert_int_equal(try(&r, &err), TACHO_EINVAL);
    assert_string_equal(err.message, "there is no profiler 'no-such'");
}

static void refuses_what_only_a_later_version_has(void **state)
{
    static const char *const argv[] = {"true", NULL};
    struct {
        tacho_flame_request known;
        uint64_t more;
    } r = {TACHO_FLAME_REQUEST_INIT, 1};
    tacho_error err;

    (void)state;
    r.known.size = sizeof r;
    r.known.argv = argv;
    r.known.output_dir = "/dev/null/folder";
    assert_int_equal(try(&r.known, &err), TACHO_EINVAL);
    r.more = 0;
    assert_int_equal(try(&r.known, &err), TACHO_EIO);
}

static void errors_have_their_words(void **state)
{
    static const char *const argv[] = {"true", NULL};
    tacho_flame_request r = TACHO_FLAME_REQUEST_INIT;
    tacho_error err;

    (void)state;
    r.argv = argv;
    r.output_dir = "/dev/null/folder";
    assert_int_equal(try(&r, &err), TACHO_EIO);
    assert_memory_equal(err.message, "failed to create output directory /dev/null/folder: ", 52);
    tch_profiler_failed(&err, TACHO_EIO, "perf", "no such event");
    assert_string_equal(err.message, "profiler command failed: perf: no such event");
}

static void every_profiler_has_a_name(void **state)
{
    const char *const *names = tacho_flame_profilers();
    size_t i;

    (void)state;
    for (i = 0; names[i]; i++)
        assert_string_equal(names[i], tch_backends[i]->name);
    assert_null(tch_backends[i]);
}

/* The message tells the level that would do, whatever the level is. */
static void no_permission_says_what_to_run(void **state)
{
    struct tch_flame_sampler_options o = {.target = TCH_FLAME_TARGET_CHILD};
    tacho_error err;

    (void)state;
    for (int64_t level = 3; level <= 4; level++) {
        char wanted[200];

        snprintf(
            wanted, sizeof wanted,
            "no permission to sample this process: kernel.perf_event_paranoid is %d: run 'sudo "
            "sysctl kernel.perf_event_paranoid=2', or as root",
            (int)level);
        assert_int_equal(tch_flame_event_no_permission(level, &o, &err), TACHO_EUNSUPPORTED);
        assert_string_equal(err.message, wanted);
    }
    o.space = TCH_SPACE_KERNEL;
    tch_flame_event_no_permission(2, &o, &err);
    assert_non_null(strstr(err.message, "sysctl kernel.perf_event_paranoid=1"));
    o.target = TCH_FLAME_TARGET_ALL;
    tch_flame_event_no_permission(2, &o, &err);
    assert_non_null(strstr(err.message, "sysctl kernel.perf_event_paranoid=0"));
    o = (struct tch_flame_sampler_options){.target = TCH_FLAME_TARGET_CHILD};
    tch_flame_event_no_permission(1, &o, &err); /* the level is not what forbids it */
    assert_non_null(strstr(err.message, "container"));
}

static void refusals_name_their_reason(void **state)
{
    struct tch_flame_sampler_options o = {.pid = 77};
    tacho_error err;

    (void)state;
    assert_int_equal(tch_flame_event_refused(ENOENT, &o, "cycles", &err), TACHO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "--event cpu-clock"));
    assert_int_equal(tch_flame_event_refused(ENOSYS, &o, "cycles", &err), TACHO_EUNSUPPORTED);
    assert_int_equal(tch_flame_event_refused(ESRCH, &o, "cycles", &err), TACHO_EINVAL);
    assert_string_equal(err.message, "there is no process 77");
    assert_int_equal(tch_flame_event_refused(EMFILE, &o, "cycles", &err), TACHO_EIO);
    assert_int_equal(tch_flame_event_refused(EIO, &o, "cycles", &err), TACHO_EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_must_make_sense),
        cmocka_unit_test(refuses_what_only_a_later_version_has),
        cmocka_unit_test(errors_have_their_words),
        cmocka_unit_test(every_profiler_has_a_name),
        cmocka_unit_test(no_permission_says_what_to_run),
        cmocka_unit_test(refusals_name_their_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
