/* Run folders. */
#include "run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"

enum { TRIES = 100, LINE_NAME = 24 /* bytes of a name made from a shell line, with the 0 */ };

int tch_folder_at(char path[PATH_MAX], const char *folder, const char *name, tacho_error *err)
{
    if (snprintf(path, PATH_MAX, "%s/%s", folder, name) >= PATH_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0, "the path '%.100s…/%.80s' is too long", folder, name);
    return 0;
}

void tch_folder_name(char *out, size_t size, const char *text)
{
    size_t n = 0;

    text += strspn(text, ".");
    for (; *text && n + 1 < size; text++) {
        bool fine = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                    (*text >= '0' && *text <= '9') || strchr("._-", *text);

        out[n++] = fine ? *text : '_';
    }
    out[n] = '\0';
    if (n == 0 || strcmp(out, "latest") == 0)
        snprintf(out, size, "run");
}

void tch_folder_name_command(char *out, size_t size, const char *program, const char *line)
{
    static const char blanks[] = " \t\n";
    const char *text = line ? line + strspn(line, blanks) : program;
    const char *from = text + (line ? strcspn(text, blanks) : strlen(text));

    while (from > text && from[-1] != '/')
        from--;
    tch_folder_name(out, line && size > LINE_NAME ? LINE_NAME : size, from);
}

void tch_folder_id(char id[TCH_RUN_ID])
{
    time_t now = time(NULL);
    struct tm utc;
    char stamp[20];
    unsigned random = 0;

    if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
        random = (unsigned)getpid();
    gmtime_r(&now, &utc);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &utc);
    snprintf(id, TCH_RUN_ID, "%s-%06x", stamp, random & 0xFFFFFF);
}

/* Creates the link under another name and renames it, so that `latest` exists at every moment. */
static int point_latest(const char *parent, const char *id, tacho_error *err)
{
    char latest[PATH_MAX];
    char name[64];
    char temp[PATH_MAX];

    snprintf(name, sizeof name, ".latest-%s", id);
    if (tch_folder_at(latest, parent, "latest", err) < 0 ||
        tch_folder_at(temp, parent, name, err) < 0)
        return TACHO_ELIMIT;
    if (symlink(id, temp) < 0)
        return tch_fail_errno(err, errno, "cannot make the link '%s'", temp);
    if (rename(temp, latest) < 0) {
        int number = errno;

        unlink(temp);
        return tch_fail_errno(err, number, "cannot make the link '%s'", latest);
    }
    return 0;
}

int tch_folder_make(struct tch_folder *folder, const char *out, const char *name, bool latest,
                    tacho_error *err)
{
    char parent[PATH_MAX];
    int status = tch_folder_at(parent, out, name, err);

    if (status == 0)
        status = tch_mkdirs(parent, err);
    for (int i = 0; status == 0; i++) {
        tch_folder_id(folder->id);
        status = tch_folder_at(folder->shown, parent, folder->id, err);
        if (status < 0 || mkdir(folder->shown, 0777) == 0)
            break;
        if (errno != EEXIST || i >= TRIES)
            status = tch_fail_errno(err, errno, "cannot make the folder '%s'", folder->shown);
    }
    if (status == 0 && !realpath(folder->shown, folder->path))
        status = tch_fail_errno(err, errno, "cannot find the folder '%s'", folder->shown);
    if (status == 0 && latest)
        status = point_latest(parent, folder->id, err);
    return status;
}
