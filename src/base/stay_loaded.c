/* Keeps a plugin that contains libtacho.a loaded. */
#include "stay_loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#ifdef __GLIBC__ /* its RTLD_DL_LINKMAP is an enumerator, not a macro */
/* NULL in a static program, which has no loader. dlopen() is looked up by its name: the linker
   warns when a static program refers to it. */
#pragma weak dladdr1
#pragma weak dlsym

void tch_stay_loaded(void)
{
    void *(*open_library)(const char *, int);
    struct link_map *map = NULL;
    Dl_info info;

    if (!dladdr1 || !dlsym ||
        dladdr1((void *)(uintptr_t)&tch_stay_loaded, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 ||
        !map || map->l_name[0] == '\0') /* the program itself */
        return;
    *(void **)&open_library = dlsym(RTLD_DEFAULT, "dlopen");
    if (open_library)
        (void)open_library(map->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
#else
/* musl never unloads a library. */
void tch_stay_loaded(void)
{
}
#endif
