/* Tests that the files of all runs are merged and that a kill at any moment loses nothing. */
#include "support/test.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/recorded/recorded.h"
#include "kit/recorded/recorded_merge.h"
#include "support/system.h"

static const char *const files[] = {
    "iter/0001/profile.jsonl",
    "iter/0001/latency.7.csv",
    "iter/0001/own.txt",
    "iter/0002/profile.jsonl",
    "iter/0002/latency.8.csv",
    "profile.jsonl",
    "latency.csv",
};

static struct tch_warnings warnings;

static const char *const folders[] = {"iter/0001", "iter/0002", "iter"};

static int remove_run(void **state)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (unlink(test_at(files[i])) < 0)
            rmdir(test_at(files[i]));
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++)
        rmdir(test_at(folders[i]));
    return test_home_remove(state);
}

#define RUN(test) cmocka_unit_test_setup_teardown(test, test_home_make, remove_run)

static void make_parts(void)
{
    assert_int_equal(mkdir(test_at("iter"), 0777), 0);
    assert_int_equal(mkdir(test_at("iter/0001"), 0777), 0);
    assert_int_equal(mkdir(test_at("iter/0002"), 0777), 0);
    test_put(test_at("iter/0001/profile.jsonl"), "one\ncut by a ki");
    test_put(test_at("iter/0001/latency.7.csv"), "id,us\n1,10\n");
    test_put(test_at("iter/0002/latency.8.csv"), "id,us\n2,20\n");
    test_put(test_at("iter/0002/profile.jsonl"), "two\n");
}

static void expect(const char *name, const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, 1000);
    assert_int_equal(tch_file_read(test_at(name), 1000, &b, NULL), 0);
    assert_int_equal(b.len, strlen(text));
    assert_memory_equal(b.data, text, b.len);
    tch_buf_release(&b);
}

static void expect_whole(void)
{
    expect("profile.jsonl", "one\ntwo\n");
    expect("latency.csv", "id,us\n1,10\n2,20\n");
}

/* Merges, and checks that the parts are removed only when asked. */
static void expect_merged(void)
{
    tacho_error err;

    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    expect_whole();
    expect("iter/0001/latency.7.csv", "id,us\n1,10\n");
    expect("iter/0002/profile.jsonl", "two\n");
    assert_int_equal(tch_recorded_remove_parts(test_home, &err), 0);
    expect_whole();
}

static void puts_parts_together(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    expect_merged();
    assert_int_equal(access(test_at("iter"), F_OK), -1);
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err),
                     0); /* the second time there is nothing to do */
    assert_int_equal(tch_recorded_remove_parts(test_home, &err), 0);
    expect_whole();
}

static void leaves_what_it_does_not_know(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    test_put(test_at("iter/0001/own.txt"), "mine");
    expect_merged();
    expect("iter/0001/own.txt", "mine");
    assert_int_equal(access(test_at("iter/0001/profile.jsonl"), F_OK), -1);
    assert_int_equal(access(test_at("iter/0002"), F_OK), -1);
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    expect_whole();
    expect("iter/0001/own.txt", "mine");
}

/* If one of the merged files cannot be written, all parts are still there afterwards. */
static void a_failure_leaves_every_part(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    assert_int_equal(mkdir(test_at("latency.csv"), 0777), 0);
    assert_true(tch_recorded_merge(test_home, &warnings, &err) < 0);
    assert_int_equal(access(test_at("profile.jsonl"), F_OK), -1);
    rmdir(test_at("latency.csv"));
    expect_merged();
}

/* Links and FIFOs are neither read nor written through. They could lead out of the folder or block
   forever. */
static void links_and_fifos_are_not_collected(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    test_put(test_at("victim"), "secret\n");
    unlink(test_at("iter/0001/profile.jsonl"));
    assert_int_equal(symlink(test_at("victim"), test_at("iter/0001/profile.jsonl")), 0);
    assert_int_equal(mkfifo(test_at("iter/0002/profile.fifo.jsonl"), 0666), 0);
    assert_int_equal(symlink("victim", test_at("profile.jsonl")), 0);
    warnings.count = 0;
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    expect("profile.jsonl", "two\n");
    expect("victim", "secret\n");
    assert_int_equal(warnings.count, 1);
    assert_string_equal(warnings.item[0].code, "not-collected");
    assert_non_null(strstr(warnings.item[0].text, "2 of the program's files"));
    assert_int_equal(tch_recorded_remove_parts(test_home, &err), 0);
    expect("victim", "secret\n");
    assert_int_equal(access(test_at("iter"), F_OK), -1);
    unlink(test_at("victim"));
}

/* A part that is too large is not read, stays where it is, and the others are merged. */
static void a_huge_part_stays(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    assert_int_equal(truncate(test_at("iter/0001/profile.jsonl"), (off_t)TCH_RECORDED_PART_MAX + 1),
                     0);
    warnings.count = 0;
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    expect("profile.jsonl", "two\n");
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.item[0].text, "files above 1 GiB are not read"));
    assert_int_equal(tch_recorded_remove_parts(test_home, &err), 0);
    assert_int_equal(access(test_at("iter/0001/profile.jsonl"), F_OK), 0);
    assert_int_equal(access(test_at("iter/0002"), F_OK), -1);
}

/* Removing the parts does not empty another folder that a link points to. */
static void a_link_to_another_folder_is_not_emptied(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    assert_int_equal(rename(test_at("iter"), test_at("elsewhere")), 0);
    assert_int_equal(symlink("elsewhere", test_at("iter")), 0);
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    assert_int_equal(access(test_at("profile.jsonl"), F_OK), -1);
    assert_int_equal(tch_recorded_remove_parts(test_home, &err), 0);
    expect("elsewhere/0002/profile.jsonl", "two\n");
    unlink(test_at("iter"));
    assert_int_equal(rename(test_at("elsewhere"), test_at("iter")), 0);
}

/* The state after a kill: some merged files have their final names, no part is removed. */
static void a_kill_between_the_whole_files(void **state)
{
    (void)state;
    make_parts();
    test_put(test_at("profile.jsonl"), "one\ntwo\n");
    expect_merged();
}

/* The state after a kill before run.json is written: all files are merged, no part is removed. */
static void a_kill_after_the_whole_files(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    expect_merged();
}

/* The state after a kill after that: some parts are removed. */
static void a_kill_while_parts_go(void **state)
{
    tacho_error err;

    (void)state;
    make_parts();
    assert_int_equal(tch_recorded_merge(test_home, &warnings, &err), 0);
    unlink(test_at("iter/0001/profile.jsonl"));
    assert_int_equal(tch_recorded_remove_parts(test_home, &err), 0);
    expect_whole();
    assert_int_equal(access(test_at("iter"), F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RUN(puts_parts_together),
        RUN(leaves_what_it_does_not_know),
        RUN(a_failure_leaves_every_part),
        RUN(links_and_fifos_are_not_collected),
        RUN(a_huge_part_stays),
        RUN(a_link_to_another_folder_is_not_emptied),
        RUN(a_kill_between_the_whole_files),
        RUN(a_kill_after_the_whole_files),
        RUN(a_kill_while_parts_go),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
