/* tacho baseline: what later runs are judged against. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include <tacho/fingerprint.h>

#include "base/json_write.h"
#include "cmds.h"
#include "gate.h"
#include "report/report.h"
#include "run/value.h"
#include "run_view.h"
#include "stats/order.h"
#include "table.h"

enum { FROM, PROMOTE, DIR_OPT, CLASS };

enum { OUT_MAX = 64 << 20 };

struct place {
    const char *dir;   /* of the baselines */
    char *own_class;   /* of this machine; owned */
    const char *class; /* the one asked for */
};

static int find_place(struct place *p)
{
    char *environment = NULL;
    size_t len;
    tacho_error err;
    int status = tacho_environment("", NULL, &environment, &len, &err);

    if (status == 0)
        status = tacho_machine_class(environment, len, &p->own_class, &err);
    free(environment);
    if (status < 0) {
        complain(NULL, "%s", err.message);
        return EXIT_WORK;
    }
    if (!p->class)
        p->class = p->own_class;
    return EXIT_OK;
}

/* Where tacho.yaml says, when there is one. */
static void settle_dir(struct place *p, struct gate_options *o)
{
    tacho_error err;

    if (p->dir)
        return;
    p->dir = TCH_BASELINES;
    if (access(o->config ? o->config : TCH_SETTINGS_FILE, R_OK) == 0 &&
        tch_settings_read(&o->settings, o->config ? o->config : TCH_SETTINGS_FILE, &err) == 0)
        p->dir = o->settings.baselines;
}

/* The options of list, show, promote and remove. */
static int take_place(struct place *p, struct gate_options *o, struct args *args)
{
    const struct opt *opt;

    while ((opt = next_opt(args)))
        if (opt->id == DIR_OPT)
            p->dir = args->value;
        else if (opt->id == CLASS)
            p->class = args->value;
        else
            o->config = args->value;
    settle_dir(p, o);
    return find_place(p);
}

static void release_place(struct place *p, struct gate_options *o)
{
    free(p->own_class);
    tch_settings_release(&o->settings);
    free(o);
}

static struct gate_options *new_options(void)
{
    struct gate_options *o = calloc(1, sizeof *o);

    if (!o)
        complain(NULL, "out of memory");
    else
        o->out = "tacho-out";
    return o;
}

static int open_baseline(struct tch_baseline *b, const struct place *p, const char *bench,
                         char path[PATH_MAX])
{
    tacho_error err;

    if (tch_baseline_path(path, p->dir, bench, p->class, &err) < 0 ||
        tch_baseline_read(b, path, &err) < 0) {
        if (err.system_errno == ENOENT)
            complain(NULL,
                     "'%s' has no baseline for %s in '%s'; 'tacho baseline list' shows what there "
                     "is, 'tacho baseline save' makes one",
                     bench, p->class, p->dir);
        else
            complain(&err, "cannot read '%s', which is left as it is", path);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

/* --- save --- */

/* A run that was made before. */
static int save_run(const char *from, const char *bench, const struct gate_options *o, bool promote)
{
    struct tch_report_run run = {.folder = NULL};
    struct tch_measured m = {0};
    struct tch_baseline baseline = {0};
    char folder[PATH_MAX];
    char path[PATH_MAX];
    char machine_class[256];
    tacho_error err;
    int status = tch_report_open(&run, run_folder(from, folder), &err);

    if (status == 0)
        status = tch_measured_init(&m, &run.receipt, run.folder, &err);
    if (status == 0) {
        tch_receipt_text(&run.receipt, "machine_class", machine_class, sizeof machine_class);
        status =
            tch_baseline_path(path, o->settings.baselines ? o->settings.baselines : TCH_BASELINES,
                              bench ? bench : run.receipt.name, machine_class, &err);
    }
    if (status == 0) {
        status = tch_baseline_read(&baseline, path, &err);
        if (status == TACHO_EIO && err.system_errno == ENOENT)
            status =
                tch_baseline_init(&baseline, bench ? bench : run.receipt.name, machine_class, &err);
    }
    if (status == 0)
        status = tch_baseline_add(
            &baseline, &m, o->settings.keep > 0 ? (size_t)o->settings.keep : TCH_GATE_KEEP, &err);
    if (status == 0 && promote)
        status = tch_baseline_promote(&baseline, tch_baseline_find(&baseline, "latest"), &err);
    if (status == 0)
        status = tch_baseline_write(&baseline, path, &err);
    if (status < 0)
        complain(&err, "cannot save '%s' as a baseline", from);
    else
        printf("%s: %zu occasion%s\n", path, baseline.count, baseline.count == 1 ? "" : "s");
    tch_baseline_release(&baseline);
    tch_measured_release(&m);
    tch_report_close(&run);
    return status < 0 ? EXIT_WORK : EXIT_OK;
}

/* What tacho.yaml lists, run now. */
static int save_benches(struct gate_options *o, bool promote, const struct args *args)
{
    struct tch_gate g = {0};
    const struct tch_gate_how how = {.root = o->root,
                                     .out = o->out,
                                     .only = o->only,
                                     .runs = o->runs,
                                     .max_runs = o->max_runs,
                                     .measure_only = true};
    tacho_error err;
    int status = EXIT_OK;

    if (tch_gate_open(&g, &o->settings, &how, &err) < 0) {
        complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    }
    if (status == EXIT_OK)
        status = gate_measure(&g, args);
    if (status == EXIT_OK && tch_gate_save(&g, promote, &err) < 0) {
        complain(&err, "cannot save the baseline");
        status = EXIT_WORK;
    }
    for (size_t i = 0; i < g.count && status == EXIT_OK; i++) {
        char path[PATH_MAX];

        if (tch_gate_baseline_path(&g, &g.benches[i], path, &err) == 0)
            printf("%s: %zu occasion%s\n", path, g.benches[i].baseline.count,
                   g.benches[i].baseline.count == 1 ? "" : "s");
    }
    tch_gate_close(&g);
    return status;
}

/* A baseline is better known than a first look needs: as many runs as the last one has. */
static void take_all_runs(struct gate_options *o)
{
    for (size_t i = 0; i < o->settings.count && o->runs == 0; i++)
        if (o->settings.benches[i].runs > 0)
            o->settings.benches[i].runs = o->settings.benches[i].max_runs;
}

static int run_save(struct args *args)
{
    struct gate_options *o = new_options();
    const struct opt *opt;
    const char *from = NULL;
    bool promote = false;
    int status = o ? EXIT_OK : EXIT_WORK;

    while (status == EXIT_OK && (opt = next_opt(args))) {
        if (opt->id == FROM)
            from = args->value;
        else if (opt->id == PROMOTE)
            promote = true;
        else
            status = gate_take(o, args, opt->id);
    }
    if (status == EXIT_OK && from && o->only_count > 1)
        status = wrong_usage(args, "--from is one run: give one --bench at most");
    if (status == EXIT_OK &&
        (!from || access(o->config ? o->config : TCH_SETTINGS_FILE, F_OK) == 0))
        status = gate_read_settings(o);
    if (status == EXIT_OK && from)
        status = save_run(from, o->only[0], o, promote);
    else if (status == EXIT_OK) {
        take_all_runs(o);
        status = save_benches(o, promote, args);
    }
    if (o)
        tch_settings_release(&o->settings);
    free(o);
    return status;
}

static const struct opt save_opts[] = {
    {.id = FROM,
     .name = "from",
     .arg = "RUN",
     .help = "a run folder that is there, in place of running; its bench is --bench, or its name",
     .complete = COMPLETE_DIR},
    {.id = PROMOTE, .name = "promote", .help = "make it the reference at once"},
    GATE_COMMON_OPTS,
    {.name = NULL},
};

static const struct cmd save_cmd = {
    .name = "save",
    .summary = "measure what tacho.yaml lists, and keep it as an occasion",
    .usage = "tacho baseline save [OPTIONS]\ntacho baseline save --from RUN [--bench NAME]",
    .about = "Runs each bench max_runs times and adds the values to its baseline, one file a bench "
             "and machine class, meant to be committed. The first occasion is the reference that "
             "the gate compares with; later ones tell how much occasions differ with nothing "
             "changed, and become the reference by 'tacho baseline promote'.",
    .opts = save_opts,
    .run = run_save,
};

/* --- list --- */

struct listing {
    struct table table;
    struct tch_buf json;
    const struct place *place;
    size_t count;
    bool bad;
};

static void list_one(struct listing *l, const char *path)
{
    struct tch_baseline b;
    tacho_error err;

    if (tch_baseline_read(&b, path, &err) < 0) {
        complain(&err, "cannot read '%s', which is left as it is", path);
        l->bad = true;
    } else {
        const struct tch_occasion *reference = tch_baseline_find(&b, "reference");

        table_add(&l->table, PLAIN, b.bench);
        table_add(&l->table, strcmp(b.machine_class, l->place->own_class) == 0 ? GREEN : PLAIN,
                  b.machine_class);
        table_addf(&l->table, PLAIN, "%zu", b.count);
        table_add(&l->table, PLAIN, reference ? reference->at : "-");
        table_addf(&l->table, PLAIN, "%.12s", reference ? reference->commit : "");
        tch_json_begin_object(&l->json);
        tch_json_key(&l->json, "bench");
        tch_json_text(&l->json, b.bench);
        tch_json_key(&l->json, "machine_class");
        tch_json_text(&l->json, b.machine_class);
        tch_json_key(&l->json, "occasions");
        tch_json_u64(&l->json, b.count);
        tch_json_key(&l->json, "reference");
        tch_json_text(&l->json, b.reference);
        tch_json_key(&l->json, "path");
        tch_json_text(&l->json, path);
        tch_json_end_object(&l->json);
        l->count++;
    }
    tch_baseline_release(&b);
}

static int not_hidden(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Each file of DIR/BENCH/, in order. */
static void list_folder(struct listing *l, const char *folder, int depth)
{
    struct dirent **names;
    int n = scandir(folder, &names, not_hidden, alphasort);

    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        size_t len = strlen(names[i]->d_name);

        if (snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name) < PATH_MAX) {
            if (depth == 0)
                list_folder(l, path, 1);
            else if (len > 5 && strcmp(names[i]->d_name + len - 5, ".json") == 0)
                list_one(l, path);
        }
        free(names[i]);
    }
    if (n >= 0)
        free(names);
}

static int run_list(struct args *args)
{
    static const struct column columns[] = {{.title = "bench"},
                                            {.title = "machine class", .fit = FIT_CUT},
                                            {.title = "occasions", .right = true},
                                            {.title = "reference"},
                                            {.title = "commit"}};
    struct gate_options *o = new_options();
    struct place place = {0};
    struct listing l = {.place = &place};
    struct tch_buf b;
    int status = o ? take_place(&place, o, args) : EXIT_WORK;

    if (status == EXIT_OK) {
        table_init(&l.table, &args->out, columns, 5);
        tch_buf_init(&l.json, OUT_MAX);
        tch_buf_init(&b, OUT_MAX);
        tch_buf_adds(&l.json, "{\"schema\":\"tacho.baseline.list.v1\",\"baselines\":[");
        list_folder(&l, place.dir, 0);
        tch_buf_adds(&l.json, "]}\n");
        if (args->json)
            tch_buf_add(&b, l.json.data, l.json.len);
        else if (l.count > 0)
            table_print(&l.table, &b);
        else
            tch_buf_addf(&b, "no baselines in '%s'; 'tacho baseline save' makes them\n", place.dir);
        status = put_out(&b);
        table_release(&l.table);
        tch_buf_release(&l.json);
    }
    if (o)
        release_place(&place, o);
    return status == EXIT_OK && l.bad ? EXIT_WORK : status;
}

/* --- show --- */

static double median_of(const struct tch_kept *kept)
{
    double *room = malloc((kept->count + 1) * sizeof *room);
    double median = NAN;

    if (room && kept->count > 0) {
        memcpy(room, kept->value, kept->count * sizeof *room);
        median = tch_median(room, kept->count);
    }
    free(room);
    return median;
}

static void show_occasions(struct tch_buf *out, const struct term *term,
                           const struct tch_baseline *b)
{
    static const struct column columns[] = {{.title = ""},
                                            {.title = "occasion"},
                                            {.title = "at"},
                                            {.title = "commit"},
                                            {.title = "command", .fit = FIT_CUT}};
    struct table t;

    table_init(&t, term, columns, 5);
    for (size_t i = 0; i < b->count; i++) {
        const struct tch_occasion *o = &b->occasions[i];
        bool is = strcmp(o->id, b->reference) == 0;

        table_add(&t, GREEN, is ? "*" : "");
        table_add(&t, PLAIN, o->id);
        table_add(&t, PLAIN, o->at);
        table_addf(&t, PLAIN, "%.12s", o->commit);
        table_add(&t, PLAIN, o->command);
    }
    table_print(&t, out);
    table_release(&t);
}

static void show_metrics(struct tch_buf *out, const struct term *term, const struct tch_baseline *b)
{
    static const struct column columns[] = {{.title = "metric"},
                                            {.title = "reference", .right = true},
                                            {.title = "latest", .right = true},
                                            {.title = "runs", .right = true},
                                            {.title = "spread of occasions", .right = true}};
    const struct tch_occasion *reference = tch_baseline_find(b, "reference");
    const struct tch_occasion *latest = tch_baseline_find(b, "latest");
    struct table t;

    table_init(&t, term, columns, 5);
    for (size_t i = 0; reference && i < reference->count; i++) {
        const struct tch_kept *kept = &reference->kept[i];
        const struct tch_kept *last = tch_occasion_values(latest, kept->name, 0.5);
        struct tch_quantity q = {.unit = TCH_PLAIN, .spread = 0.02};
        struct tch_buf text;

        (void)tch_quantity_find(&(struct tch_measured){0}, kept->name, &q);
        tch_buf_init(&text, 256);
        table_add(&t, PLAIN, kept->name);
        tch_add_value(&text, q.unit, median_of(kept));
        table_add(&t, PLAIN, text.data);
        tch_buf_clear(&text);
        tch_add_value(&text, q.unit, last ? median_of(last) : NAN);
        table_add(&t, PLAIN, text.data);
        table_addf(&t, PLAIN, "%zu", kept->count);
        table_addf(&t, b->count < 3 ? DIM : PLAIN, "%.2g %%%s",
                   100 * tch_baseline_spread(b, kept->name, 0.5, q.spread),
                   b->count < 3 ? " (assumed)" : "");
        tch_buf_release(&text);
    }
    table_print(&t, out);
    table_release(&t);
}

static int show_one(const struct tch_baseline *b, const struct args *args)
{
    struct tch_buf out;

    tch_buf_init(&out, OUT_MAX);
    if (args->json) {
        tch_baseline_format(&out, b);
    } else {
        tch_buf_addf(&out, "%s on %s\n\n", b->bench, b->machine_class);
        show_occasions(&out, &args->out, b);
        tch_buf_addc(&out, '\n');
        show_metrics(&out, &args->out, b);
    }
    return put_out(&out);
}

static int run_show(struct args *args)
{
    struct gate_options *o = new_options();
    struct place place = {0};
    struct tch_baseline b = {0};
    char path[PATH_MAX];
    int status = o ? take_place(&place, o, args) : EXIT_WORK;

    if (status == EXIT_OK)
        status = open_baseline(&b, &place, args->operands[0], path);
    if (status == EXIT_OK)
        status = show_one(&b, args);
    tch_baseline_release(&b);
    if (o)
        release_place(&place, o);
    return status;
}

/* --- promote and remove --- */

static int promote(struct tch_baseline *b, const char *path, const char *id)
{
    const struct tch_occasion *occasion = tch_baseline_find(b, id);
    tacho_error err;

    if (!occasion) {
        complain(NULL, "'%s' has no occasion '%s'; 'tacho baseline show %s' lists them", path, id,
                 b->bench);
        return EXIT_WORK;
    }
    if (tch_baseline_promote(b, occasion, &err) < 0 || tch_baseline_write(b, path, &err) < 0) {
        complain(&err, "cannot promote '%s'", id);
        return EXIT_WORK;
    }
    printf("%s: the reference is %s of %s\n", b->bench, occasion->id, occasion->at);
    return EXIT_OK;
}

static int run_promote(struct args *args)
{
    struct gate_options *o = new_options();
    struct place place = {0};
    struct tch_baseline b = {0};
    char path[PATH_MAX];
    int status = o ? take_place(&place, o, args) : EXIT_WORK;

    if (status == EXIT_OK)
        status = open_baseline(&b, &place, args->operands[0], path);
    if (status == EXIT_OK)
        status = promote(&b, path, args->count > 1 ? args->operands[1] : "latest");
    tch_baseline_release(&b);
    if (o)
        release_place(&place, o);
    return status;
}

static int run_remove(struct args *args)
{
    struct gate_options *o = new_options();
    struct place place = {0};
    char path[PATH_MAX];
    tacho_error err;
    int status = o ? take_place(&place, o, args) : EXIT_WORK;

    if (status == EXIT_OK &&
        tch_baseline_path(path, place.dir, args->operands[0], place.class, &err) < 0) {
        complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    } else if (status == EXIT_OK && unlink(path) < 0) {
        char why[128];

        complain(NULL, "cannot remove '%s': %s", path, strerror_r(errno, why, sizeof why));
        status = EXIT_WORK;
    } else if (status == EXIT_OK) {
        printf("removed %s\n", path);
    }
    if (o)
        release_place(&place, o);
    return status;
}

static const struct opt place_opts[] = {
    {.id = GATE_CONFIG,
     .name = "config",
     .letter = 'c',
     .arg = "FILE",
     .help = "the settings that say where baselines are (default tacho.yaml)",
     .complete = COMPLETE_FILE},
    {.id = DIR_OPT,
     .name = "dir",
     .arg = "DIR",
     .help = "where baselines are (default .tacho/baselines)",
     .complete = COMPLETE_DIR},
    {.id = CLASS,
     .name = "machine-class",
     .arg = "CLASS",
     .help = "of this class of machines (default: of this one)"},
    {.name = NULL},
};

static const struct arg bench_arg[] = {
    {.name = "BENCH", .help = "its name"},
    {.name = NULL},
};

static const struct arg promote_args[] = {
    {.name = "BENCH", .help = "its name"},
    {.name = "OCCASION",
     .help = "its id, or the start of it (default: the latest)",
     .optional = true},
    {.name = NULL},
};

static const struct cmd list_cmd = {
    .name = "list",
    .summary = "which baselines there are",
    .usage = "tacho baseline list [OPTIONS]",
    .opts = place_opts,
    .json = true,
    .run = run_list,
};

static const struct cmd show_cmd = {
    .name = "show",
    .summary = "the occasions of a baseline, and how much they differ",
    .usage = "tacho baseline show [OPTIONS] BENCH",
    .opts = place_opts,
    .args = bench_arg,
    .json = true,
    .run = run_show,
};

static const struct cmd promote_cmd = {
    .name = "promote",
    .summary = "make an occasion the reference of the gate",
    .usage = "tacho baseline promote [OPTIONS] BENCH [OCCASION]",
    .about = "For a change of cost that is meant: from then on the gate compares with this one.",
    .opts = place_opts,
    .args = promote_args,
    .run = run_promote,
};

static const struct cmd remove_cmd = {
    .name = "remove",
    .summary = "remove the baseline of a bench on one class of machines",
    .usage = "tacho baseline remove [OPTIONS] BENCH",
    .opts = place_opts,
    .args = bench_arg,
    .run = run_remove,
};

static const struct cmd *const subs[] = {&list_cmd, &promote_cmd, &remove_cmd,
                                         &save_cmd, &show_cmd,    NULL};

static const struct example examples[] = {
    {"tacho baseline save", "Measure what tacho.yaml lists, and keep it."},
    {"tacho baseline show sort", "What it cost on which day."},
    {"tacho baseline promote sort", "The latest is what counts from now on."},
    {NULL, NULL},
};

const struct cmd cmd_baseline = {
    .name = "baseline",
    .summary = "save, list, show, promote, remove what the gate compares with",
    .usage = "tacho baseline list|promote|remove|save|show [OPTIONS] [ARGUMENTS]",
    .about =
        "A baseline is a JSON file a bench and machine class, in .tacho/baselines, meant to be "
        "committed. It holds the values of the last occasions; one is the reference.",
    .examples = examples,
    .subs = subs,
};
