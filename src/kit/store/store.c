/* Finds, opens and closes a store. */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "db.h"
#include "store_schema.h"

/* Cuts the last name off a path. Returns false at the root. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');

    if (!slash || path[1] == '\0')
        return false;
    slash[slash == path ? 1 : 0] = '\0';
    return true;
}

static bool has(const char *folder, const char *name)
{
    char path[PATH_MAX];

    return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX && access(path, F_OK) == 0;
}

int tch_store_find(char path[PATH_MAX], tacho_error *err)
{
    char here[PATH_MAX];
    char folder[PATH_MAX];
    char repository[PATH_MAX] = "";
    const char *found;

    if (!getcwd(here, sizeof here))
        return tch_fail_errno(err, errno, "cannot find out the working directory");
    memcpy(folder, here, sizeof folder);
    while (!has(folder, TCH_STORE_FILE)) {
        if (!*repository && has(folder, ".git"))
            memcpy(repository, folder, sizeof repository);
        if (!go_up(folder)) {
            folder[0] = '\0';
            break;
        }
    }
    found = *folder ? folder : *repository ? repository : here;
    if (snprintf(path, PATH_MAX, "%s/%s", found, TCH_STORE_FILE) >= PATH_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0, "the path of the store is too long");
    return 0;
}

int tch_store_open(struct tch_store *s, const char *where, bool create, tacho_error *err)
{
    int status = 0;

    s->db = NULL;
    if (create && !strstr(where, "://"))
        status = tch_mkdirs_above(where, err);
    if (status == 0)
        status = tch_db_open(&s->db, where, create, err);
    if (status == 0)
        status = tch_store_migrate(s->db, err);
    if (status < 0)
        tch_store_close(s);
    return status;
}

void tch_store_close(struct tch_store *s)
{
    tch_db_close(s->db);
    s->db = NULL;
}
