/*
 * gate: a test by <tacho/judge.h> that fails when a program has become slower.
 *
 *     gate [EXTRA]   times two versions of a function, interleaved, and judges them; the second one
 *                    does EXTRA percent more work (default 0)
 *     gate A B       judges two run folders of `tacho run` by their wall time, or two files of one
 *                    number per line, such as times that were kept from another day
 *
 * Exit status: 0 not slower, 1 slower by more than the tolerance, 2 inconclusive, 3 nothing to
 * judge.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include <tacho/judge.h>

enum { PAIRS = 24, ROUNDS = 200000, VALUES_MOST = 1000 };
enum { EXIT_SLOWER = 1, EXIT_UNSURE = 2, EXIT_TROUBLE = 3 };

static volatile unsigned result;

/* The function under test. */
static void mix(unsigned rounds)
{
    unsigned x = 1;

    for (unsigned i = 0; i < rounds; i++)
        x = (x ^ i) * 2654435761u;
    result = x;
}

/* Returns the CPU time, which other programs on the machine disturb less than wall time. */
static double seconds_of(unsigned rounds)
{
    struct timespec start, end;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    mix(rounds);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    return (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
}

/* Returns a random truth value. */
static bool heads(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 31;
}

/* Measures old and new interleaved. A random choice for each pair decides which is first. */
static int ask_pairs(tacho_judge *judge, unsigned extra, tacho_error *err)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    double before[PAIRS];
    double after[PAIRS];
    unsigned more = ROUNDS / 100 * (100 + extra);
    unsigned state = (unsigned)time(NULL);

    mix(ROUNDS); /* warm up */
    for (int i = 0; i < PAIRS; i++) {
        bool first = heads(&state);

        if (first)
            before[i] = seconds_of(ROUNDS);
        after[i] = seconds_of(more);
        if (!first)
            before[i] = seconds_of(ROUNDS);
    }
    budget.tolerance = 0.10;
    return tacho_judge_add_pairs(judge, "mix", before, after, PAIRS, &budget, err);
}

/* Reads one number per line, until a line is not a number. Returns how many it read. */
static size_t read_values(const char *path, double *values)
{
    FILE *file = fopen(path, "r");
    char line[64];
    char *end = line;
    size_t count = 0;

    while (file && count < VALUES_MOST && fgets(line, sizeof line, file)) {
        values[count] = strtod(line, &end);
        if (end == line)
            break;
        count++;
    }
    if (file)
        fclose(file);
    return count;
}

/* The values of two files were not interleaved, so they are two samples. */
static int ask_files(tacho_judge *judge, char **files, tacho_error *err)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    double a[VALUES_MOST];
    double b[VALUES_MOST];
    size_t a_count = read_values(files[0], a);
    size_t b_count = read_values(files[1], b);

    budget.tolerance = 0.10;
    return tacho_judge_add_samples(judge, "values", a, a_count, b, b_count, &budget, err);
}

static int ask_runs(tacho_judge *judge, char **folders, tacho_error *err)
{
    tacho_judge_budget budget = TACHO_JUDGE_BUDGET_INIT;
    struct stat st;

    if (stat(folders[0], &st) == 0 && !S_ISDIR(st.st_mode))
        return ask_files(judge, folders, err);
    budget.tolerance = 0.10;
    return tacho_judge_add_runs(judge, folders[0], folders[1], "wall", &budget, err);
}

/* Prints the answers and returns the exit status. */
static int report(const tacho_judge *judge)
{
    for (size_t i = 0; i < tacho_judge_count(judge); i++) {
        tacho_judge_answer answer = TACHO_JUDGE_ANSWER_INIT;
        char line[256];

        puts(tacho_judge_text(judge, i, line, sizeof line));
        if (tacho_judge_answer_at(judge, i, &answer, NULL) == 0 && answer.advised > 0)
            printf("%s: measure %llu values of each\n", answer.name,
                   (unsigned long long)answer.advised);
    }
    switch (tacho_judge_verdict(judge)) {
    case TACHO_VERDICT_FAIL:
        return EXIT_SLOWER;
    case TACHO_VERDICT_PASS:
    case TACHO_VERDICT_WARN:
        return EXIT_SUCCESS;
    default:
        return EXIT_UNSURE;
    }
}

int main(int argc, char **argv)
{
    unsigned extra = argc == 2 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
    tacho_judge *judge = NULL;
    tacho_error err;
    int status = EXIT_TROUBLE;

    if (tacho_judge_new(&judge, &err) < 0 ||
        (argc > 2 ? ask_runs(judge, argv + 1, &err) : ask_pairs(judge, extra, &err)) < 0 ||
        tacho_judge_decide(judge, 0.05, &err) < 0)
        fprintf(stderr, "gate: %s\n", err.message);
    else
        status = report(judge);
    tacho_judge_free(judge);
    return status;
}
