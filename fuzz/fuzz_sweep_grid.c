/* Parses any bytes as a grid. The first line is --grid or, after a '!', --range; the rest is a text
   to fill. Every cell of an accepted grid can be named and filled. */
#include <stdint.h>

#include "kit/sweep/growth_fit.h"
#include "kit/sweep/sweep_grid.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct tch_grid *grid, const char *text)
{
    size_t cells = tch_grid_cells(grid);
    char name[TCH_CELL_NAME];

    if (cells == 0 || cells > TCH_GRID_CELLS)
        abort();
    for (size_t i = 0; i < cells; i += cells / 4 + 1) {
        char *filled = tch_grid_fill(grid, i, tch_grid_all(grid), text);

        tch_grid_name(grid, i, tch_grid_all(grid), "cell", name);
        if (strchr(name, '/') || !name[0])
            abort();
        free(filled);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct tch_grid grid = {0};
    struct tch_expect expect;
    char *rest;
    int status;

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    rest = text + strcspn(text, "\n");
    if (*rest)
        *rest++ = '\0';
    (void)tch_expect_parse(text, &expect, NULL);
    status = text[0] == '!' ? tch_grid_add_range(&grid, text + 1, NULL)
                            : tch_grid_add(&grid, text, NULL);
    if (status == 0)
        use(&grid, rest);
    tch_grid_release(&grid);
    free(text);
    return 0;
}
