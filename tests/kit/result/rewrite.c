/* rewrite FOLDER...    reads run.json of each folder and writes it to standard output
   rewrite --members baseline|run    prints the members that the tables of that document describe,
   such as plan.runs of a run
 */
#include <stdio.h>
#include <string.h>

#include "kit/judge/baseline.h"
#include "kit/result/result.h"

static void print_members(const char *before, const struct tch_json_field *fields)
{
    for (const struct tch_json_field *f = fields; f->key; f++) {
        char name[128];

        snprintf(name, sizeof name, "%s%s", before, f->key);
        puts(name);
        if (f->fields) {
            snprintf(name, sizeof name, "%s%s.", before, f->key);
            print_members(name, f->fields);
        }
    }
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc == 3 && strcmp(argv[1], "--members") == 0) {
        print_members("", strcmp(argv[2], "run") == 0 ? tch_result_fields : tch_baseline_fields);
        return 0;
    }
    for (int i = 1; i < argc && status == 0; i++) {
        struct tch_result r;
        struct tch_buf b;
        tacho_error err;

        tch_buf_init(&b, TCH_RESULT_MAX);
        status = tch_result_load(&r, argv[i], &err);
        if (status < 0)
            fprintf(stderr, "rewrite: cannot read '%s': %s\n", argv[i], err.message);
        else
            tch_result_write(&b, &r);
        if (b.failed || fwrite(b.data, 1, b.len, stdout) != b.len)
            status = -1;
        tch_buf_release(&b);
        tch_result_release(&r);
    }
    return status == 0 ? 0 : 1;
}
