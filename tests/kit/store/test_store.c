/* A store: what is added comes back, once, after kills and beside other writers; what is damaged is
   named and left alone. */
#include "support/test.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "kit/import/import.h"
#include "kit/store/db.h"
#include "kit/store/store.h"

static char folder[] = "/tmp/tacho-store-XXXXXX";

static void path_of(char path[PATH_MAX], const char *name)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

/* A run of 5 processes, as hyperfine reports it. */
static void make_result(struct tch_import_set *set, const char *bench, unsigned number)
{
    struct tch_import_options options = {.commit = "0123456789abcdef0123456789abcdef01234567"};
    char text[400];
    tacho_error err;

    tch_import_init(set);
    snprintf(text, sizeof text,
             "{\"results\":[{\"command\":\"%s\",\"mean\":1,\"times\":"
             "[0.1%u,0.12,0.11,0.14,0.13],\"exit_codes\":[0,0,0,0,0]}]}",
             bench, number);
    assert_int_equal(
        tch_import_text(set, "x.json", text, strlen(text), 1000000000u * number, &options, &err),
        0);
    assert_int_equal(tch_import_finish(set, &options, &err), 0);
    assert_int_equal(set->count, 1);
}

static int add(struct tch_store *store, const char *bench, unsigned number, bool *added)
{
    struct tch_import_set set;
    char key[TCH_SHA256_HEX];
    char text[100];
    tacho_error err;
    int status;

    make_result(&set, bench, number);
    snprintf(text, sizeof text, "%s %u", bench, number);
    tch_sha256_hex(key, text, strlen(text));
    status = tch_store_add_result(store, &set.results[0], key, added, &err);
    tch_import_release(&set);
    return status;
}

static int64_t count(struct tch_store *store, const char *sql)
{
    int64_t n = -1;

    assert_int_equal(tch_db_number(store->db, sql, NULL, 0, &n, NULL), 0);
    return n;
}

static void open_store(struct tch_store *store, const char *name)
{
    char path[PATH_MAX];
    tacho_error err;

    path_of(path, name);
    assert_int_equal(tch_store_open(store, path, true, &err), 0);
}

static void gives_back_what_was_added(void **state)
{
    static const struct tch_store_filter filter = {.bench = "parse", .metric = "wall"};
    struct tch_store store;
    struct tch_store_list list;
    struct tch_store_points points;
    struct tch_values values = {0};
    tacho_error err;
    bool added;

    (void)state;
    open_store(&store, "back.db");
    for (unsigned i = 1; i <= 3; i++)
        assert_true(add(&store, "parse", i, &added) == 0 && added);
    assert_true(add(&store, "other", 1, &added) == 0 && added);
    assert_true(add(&store, "parse", 2, &added) == 0 && !added);
    tch_store_close(&store);

    open_store(&store, "back.db");
    assert_int_equal(tch_store_list(&store, &filter, &list, &err), 0);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.items[0].points, 3);
    assert_string_equal(list.items[0].metric.title, "wall time");
    assert_int_equal(list.items[0].metric.better, TCH_BETTER_LOWER);
    assert_int_equal(tch_store_points(&store, list.items[0].id, &points, &err), 0);
    assert_int_equal(points.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(points.items[i].started_ns, 1000000000 * ((int64_t)i + 1));
        assert_string_equal(points.items[i].commit, "0123456789abcdef0123456789abcdef01234567");
        assert_int_equal(points.items[i].n, 5);
        assert_true(fabs(points.items[i].median - (i < 2 ? 120e6 : 130e6)) < 1);
    }
    assert_int_equal(tch_store_values(&store, list.items[0].id, points.items[2].run, &values, &err),
                     0);
    assert_int_equal(values.n, 5);
    assert_true(fabs(values.v[0] - 130e6) < 1 && fabs(values.v[3] - 140e6) < 1);
    tch_values_release(&values);
    tch_store_points_release(&points);
    tch_store_list_release(&list);
    tch_store_close(&store);
}

static void refuses_a_run_without_an_outcome(void **state)
{
    struct tch_store store;
    struct tch_result r;
    char key[TCH_SHA256_HEX] = "k";
    bool added;
    tacho_error err;

    (void)state;
    open_store(&store, "outcome.db");
    assert_int_equal(tch_result_init(&r, &err), 0);
    assert_int_equal(tch_store_add_result(&store, &r, key, &added, &err), TACHO_EINVAL);
    assert_int_equal(count(&store, "SELECT COUNT(*) FROM run"), 0);
    tch_result_release(&r);
    tch_store_close(&store);
}

/* Names the file and changes no byte of it. */
static void names_a_damaged_store(void **state)
{
    static const char junk[] = "This is a text and no database, but longer than a header.....\n"
                               "This is a text and no database, but longer than a header.....\n";
    struct tch_store store;
    struct tch_buf b;
    char path[PATH_MAX];
    tacho_error err;

    (void)state;
    path_of(path, "damaged.db");
    assert_int_equal(tch_file_replace(path, junk, sizeof junk, false, &err), 0);
    assert_int_equal(tch_store_open(&store, path, true, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "damaged.db"));
    tch_buf_init(&b, 1000);
    assert_int_equal(tch_file_read(path, 1000, &b, &err), 0);
    assert_int_equal(b.len, sizeof junk);
    assert_memory_equal(b.data, junk, sizeof junk);
    tch_buf_release(&b);
}

static void refuses_a_missing_and_a_later_store(void **state)
{
    struct tch_store store;
    char path[PATH_MAX];
    tacho_error err;

    (void)state;
    path_of(path, "later.db");
    assert_int_equal(tch_store_open(&store, path, false, &err), TACHO_EIO);
    assert_int_equal(access(path, F_OK), -1);
    open_store(&store, "later.db");
    assert_int_equal(
        tch_db_query(store.db, "UPDATE meta SET version = 99", NULL, 0, NULL, NULL, &err), 0);
    tch_store_close(&store);
    assert_int_equal(tch_store_open(&store, path, true, &err), TACHO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "update tacho"));
}

static void several_writers_lose_nothing(void **state)
{
    enum { WRITERS = 4, EACH = 12 };
    struct tch_store store;
    pid_t children[WRITERS];

    (void)state;
    for (unsigned w = 0; w < WRITERS; w++) {
        children[w] = fork();
        assert_true(children[w] >= 0);
        if (children[w] == 0) {
            bool added;
            bool good = true;

            /* Each creates the store if it is the first. */
            open_store(&store, "several.db");
            for (unsigned i = 0; i < EACH; i++)
                good = good && add(&store, "parse", 100 * w + i, &added) == 0 && added;
            tch_store_close(&store);
            _exit(good ? 0 : 1);
        }
    }
    for (unsigned w = 0; w < WRITERS; w++) {
        int status;

        assert_int_equal(waitpid(children[w], &status, 0), children[w]);
        assert_int_equal(status, 0);
    }
    open_store(&store, "several.db");
    assert_int_equal(count(&store, "SELECT COUNT(*) FROM run"), WRITERS * EACH);
    assert_int_equal(count(&store, "SELECT COUNT(DISTINCT key) FROM run"), WRITERS * EACH);
    tch_store_close(&store);
}

/* Adds until it is killed, and writes a byte after each run that is in the store. */
static void add_until_killed(int acknowledge, unsigned from)
{
    struct tch_store store;
    bool added;

    open_store(&store, "killed.db");
    for (unsigned i = 0;; i++) {
        if (add(&store, "parse", from + i, &added) != 0 || write(acknowledge, "+", 1) != 1)
            _exit(1);
    }
}

static void a_kill_loses_nothing_acknowledged(void **state)
{
    enum { KILLS = 10 };
    int64_t acknowledged = 0;
    struct tch_store store;

    (void)state;
    for (unsigned k = 0; k < KILLS; k++) {
        int ends[2];
        char bytes[4096];
        ssize_t n;
        pid_t child;

        assert_int_equal(pipe(ends), 0);
        child = fork();
        assert_true(child >= 0);
        if (child == 0)
            add_until_killed(ends[1], 1000 * (k + 1));
        close(ends[1]);
        /* After at least one run, at a moment that differs each time. */
        assert_int_equal(read(ends[0], bytes, 1), 1);
        acknowledged++;
        usleep(700 * k);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        while ((n = read(ends[0], bytes, sizeof bytes)) > 0)
            acknowledged += n;
        close(ends[0]);
    }
    open_store(&store, "killed.db");
    assert_true(count(&store, "SELECT COUNT(*) FROM run") >= acknowledged);
    /* No run without all its points. */
    assert_int_equal(count(&store, "SELECT COUNT(*) FROM run WHERE"
                                   " (SELECT COUNT(*) FROM point WHERE run_id = run.id) = 0"),
                     0);
    assert_int_equal(count(&store, "SELECT COUNT(*) FROM point p WHERE NOT EXISTS (SELECT 1 FROM"
                                   " sample s WHERE s.series_id = p.series_id AND"
                                   " s.run_id = p.run_id)"),
                     0);
    tch_store_close(&store);
}

static int open_and_list(void *arg)
{
    static const struct tch_store_filter all = {0};
    struct tch_store store;
    struct tch_store_list list = {0};
    tacho_error err;
    int status = tch_store_open(&store, arg, false, &err);

    if (status < 0)
        return status;
    status = tch_store_list(&store, &all, &list, &err);
    tch_store_list_release(&list);
    tch_store_close(&store);
    return status;
}

static void survives_failing_allocations(void **state)
{
    struct tch_store store;
    char path[PATH_MAX];
    bool added;

    (void)state;
    open_store(&store, "memory.db");
    assert_int_equal(add(&store, "parse", 1, &added), 0);
    tch_store_close(&store);
    path_of(path, "memory.db");
    test_every_allocation_fails(open_and_list, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_was_added),
        cmocka_unit_test(refuses_a_run_without_an_outcome),
        cmocka_unit_test(names_a_damaged_store),
        cmocka_unit_test(refuses_a_missing_and_a_later_store),
        cmocka_unit_test(several_writers_lose_nothing),
        cmocka_unit_test(a_kill_loses_nothing_acknowledged),
        cmocka_unit_test(survives_failing_allocations),
    };
    void *library = dlopen("libsqlite3.so.0", RTLD_NOW);
    char command[100];
    int status;

    if (!library) {
        puts("skipped: libsqlite3.so.0 is not installed; scripts/install-deps test installs it");
        return 77;
    }
    if (!mkdtemp(folder))
        return 1;
    status = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) == 0 ? status : 1;
}
