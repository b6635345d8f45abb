/* Reads the `sweep:` section of tacho.yaml: the options of `tacho sweep` by their names, and
   `command`. */
#include "sweep_options.h"

#include "base/file.h"

enum { ELEMENTS_MOST = 64, TEXT_MAX = 1 << 20 };

struct reading {
    struct sweep_options *o;
    struct args *args;
    const char *path;
};

/* Prints the place in the file, after an error message about it. */
static int at_node(const struct reading *f, const struct tch_yaml_node *node, int status)
{
    if (status != EXIT_OK)
        cli_complain(NULL, "that is line %llu, column %llu of '%s'", (unsigned long long)node->line,
                     (unsigned long long)node->column, f->path);
    return status;
}

static int wrong_node(const struct reading *f, const struct tch_yaml_node *node, const char *wants)
{
    cli_complain(NULL, "'%s' must be %s", node->key ? node->key : "this", wants);
    return at_node(f, node, EXIT_WORK);
}

/*
 * Parameters.
 */

/* Returns whether the command line gives this parameter, which overrides the file. */
static bool is_given(const struct sweep_options *o, const char *name)
{
    for (size_t i = 0; i < o->given_params; i++)
        if (strcmp(o->grid.param[i].name, name) == 0)
            return true;
    return false;
}

static int read_values(const struct reading *f, const struct tch_yaml_node *param, bool range)
{
    struct tch_grid *grid = &f->o->grid;
    tacho_error err;
    int status = 0;

    if (is_given(f->o, param->key))
        return EXIT_OK;
    if (param->kind == TCH_YAML_SCALAR) {
        char *spec = NULL;

        if (asprintf(&spec, "%s=%s", param->key, param->text) < 0)
            return cli_no_memory();
        status = range ? tch_grid_add_range(grid, spec, &err) : tch_grid_add(grid, spec, &err);
        free(spec);
    } else if (param->kind == TCH_YAML_LIST && !range) {
        for (const struct tch_yaml_node *v = param->first; v && status == 0; v = v->next) {
            if (v->kind != TCH_YAML_SCALAR)
                return wrong_node(f, v, "a single value");
            status = tch_grid_add_value(grid, param->key, v->text, &err);
        }
        if (param->count == 0)
            return wrong_node(f, param, "a list of one value or more");
    } else {
        return wrong_node(f, param, range ? "START:END:STEP" : "a list of values");
    }
    if (status < 0)
        cli_complain(NULL, "%s", err.message);
    return at_node(f, param, status < 0 ? EXIT_WORK : EXIT_OK);
}

static int read_params(const struct reading *f, const struct tch_yaml_node *map, bool range)
{
    int status = EXIT_OK;

    if (map->kind != TCH_YAML_MAP)
        return wrong_node(f, map, "parameters, each with its values");
    for (const struct tch_yaml_node *p = map->first; p && status == EXIT_OK; p = p->next)
        status = read_values(f, p, range);
    return status;
}

/*
 * The command.
 */

static int read_command(const struct reading *f, const struct tch_yaml_node *node)
{
    struct sweep_options *o = f->o;
    size_t n = 0;

    if (node->kind == TCH_YAML_SCALAR) {
        o->file_line = node->text;
        return EXIT_OK;
    }
    if (node->kind != TCH_YAML_LIST || node->count == 0)
        return wrong_node(f, node, "a command line, or the list of its words");
    o->words = calloc(node->count + 1, sizeof *o->words);
    if (!o->words)
        return cli_no_memory();
    for (const struct tch_yaml_node *v = node->first; v; v = v->next) {
        if (v->kind != TCH_YAML_SCALAR)
            return wrong_node(f, v, "a word");
        o->words[n++] = (char *)v->text;
    }
    return EXIT_OK;
}

/*
 * Every other option.
 */

static int set_opt(const struct reading *f, const struct tch_yaml_node *node, const struct opt *opt,
                   const char *value)
{
    f->args->value = value;
    return at_node(f, node, cli_set_opt(f->args, opt, f->o, &f->o->run));
}

/* Sets an option to NAME=VALUE from a map's "name: value". */
static int set_pair(const struct reading *f, const struct tch_yaml_node *node,
                    const struct opt *opt)
{
    char *pair = NULL;

    if (node->kind != TCH_YAML_SCALAR)
        return wrong_node(f, node, "a single value");
    if (asprintf(&pair, "%s=%s", node->key, node->text) < 0)
        return cli_no_memory();
    if (f->o->kept_count == SWEEP_KEPT) {
        free(pair);
        return cli_no_memory();
    }
    f->o->kept[f->o->kept_count++] = pair; /* the option points into it */
    return set_opt(f, node, opt, pair);
}

static int read_member(const struct reading *f, const struct tch_yaml_node *node,
                       const struct opt *opt)
{
    bool repeats = opt->arg && (strchr(opt->arg, '=') || strcmp(opt->name, "keep-env") == 0);
    int status = EXIT_OK;

    if (node->count > ELEMENTS_MOST)
        return wrong_node(f, node, "64 values at most");
    if (!opt->arg && (node->kind != TCH_YAML_SCALAR ||
                      (strcmp(node->text, "true") != 0 && strcmp(node->text, "false") != 0)))
        return wrong_node(f, node, "true or false");
    if (!opt->arg)
        return strcmp(node->text, "true") == 0 ? set_opt(f, node, opt, NULL) : EXIT_OK;
    if (node->kind == TCH_YAML_SCALAR)
        return set_opt(f, node, opt, node->text);
    if (!repeats)
        return wrong_node(f, node, "a single value");
    for (const struct tch_yaml_node *v = node->first; v && status == EXIT_OK; v = v->next) {
        if (node->kind == TCH_YAML_MAP)
            status = set_pair(f, v, opt);
        else
            status = v->kind == TCH_YAML_SCALAR ? set_opt(f, v, opt, v->text)
                                                : wrong_node(f, v, "a single value");
    }
    return status;
}

static int read_section(const struct reading *f, const struct tch_yaml_node *section)
{
    int status = EXIT_OK;

    if (section->kind != TCH_YAML_MAP)
        return wrong_node(f, section, "options of tacho sweep, by name");
    for (const struct tch_yaml_node *node = section->first; node && status == EXIT_OK;
         node = node->next) {
        const struct opt *opt = cli_find_opt(f->args->cmd, node->key, strlen(node->key));

        if (strcmp(node->key, "command") == 0)
            status = read_command(f, node);
        else if (strcmp(node->key, "grid") == 0 || strcmp(node->key, "range") == 0)
            status = read_params(f, node, node->key[0] == 'r');
        else if (opt && opt->id >= 0 && strcmp(node->key, "file") != 0)
            status = read_member(f, node, opt);
        else if (cli_refuse_opt(f->args, node->key, 0))
            status = at_node(f, node, EXIT_WORK);
        else
            status = wrong_node(f, node, "an option of tacho sweep, without its dashes");
    }
    return status;
}

int cli_sweep_file_read(struct sweep_options *o, struct args *args, const char *path, bool found)
{
    struct reading f = {o, args, path};
    const struct tch_yaml_node *section;
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_WORK;

    tch_buf_init(&b, TCH_YAML_MAX);
    if ((found ? tch_file_read_regular : tch_file_read)(path, TCH_YAML_MAX, &b, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
    } else if (tch_yaml_parse(&o->yaml, b.data, b.len, &err) < 0) {
        cli_complain(&err, "cannot read '%s'", path);
    } else {
        section = tch_yaml_find(o->yaml.root, "sweep");
        if (section)
            status = read_section(&f, section);
        else
            cli_complain(NULL, "'%s' has no section 'sweep'", path);
    }
    tch_buf_release(&b);
    return status;
}
