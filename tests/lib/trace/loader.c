/* loader PLUGIN OUT: a program that is not linked with libtacho, which the plugin loads at run
   time. The trace must contain the plugin's span. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char text[4096] = "";
    void (*call)(void);
    int (*stop)(void *err);
    void *library;
    FILE *file;

    if (argc != 3 || setenv("TACHO_TRACE_OUT", argv[2], 1) != 0)
        return 64;
    library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    *(void **)&call = dlsym(library, "plugin_work");
    *(void **)&stop = dlsym(library, "tacho_trace_stop");
    call();
    if (stop(NULL) != 0)
        return 2;
    file = fopen(argv[2], "re");
    if (!file || fread(text, 1, sizeof text - 1, file) == 0 || fclose(file) != 0)
        return 3;
    remove(argv[2]);
    return strstr(text, "\"name\":\"plugin\"") ? 0 : 4;
}
