/*
 * Demangles C++ names with __cxa_demangle of the C++ library, which is loaded when the first
 * mangled name appears, so that tacho does not depend on it. It returns Rust's old form as
 * "app::main::h0123456789abcdef", which tch_add_symbol() tidies up.
 */
#include "symbol_demangle.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "symbol_rust.h"

static tch_demangler *demangler;
static pthread_once_t loaded = PTHREAD_ONCE_INIT;

tch_demangler *tch_demangler_load(const char *library)
{
    /* Never closed, because it may be in use. */
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
    tch_demangler *found = NULL;

    if (handle)
        *(void **)&found = dlsym(handle, "__cxa_demangle");
    return found;
}

static void load(void)
{
    demangler = tch_demangler_load("libstdc++.so.6");
}

bool tch_demangle_grows(const char *name)
{
    enum { FEW = 24 }; /* fewer references make a name at most 3 to the power of 8 times as long */
    size_t count = 0;

    if (strncmp(name, "_Z", 2) != 0)
        return false;
    for (const char *p = name; *p && count <= FEW; p++)
        if (*p == 'S' || *p == 'T') /* "S_", "S1A_", "T0_" */
            count += p[1 + strspn(p + 1, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '_';
    return count > FEW;
}

char *tch_demangle(const char *name)
{
    int status;

    if (strncmp(name, "_R", 2) == 0)
        return tch_demangle_rust(name);
    if (strncmp(name, "_Z", 2) != 0)
        return NULL;
    pthread_once(&loaded, load);
    return demangler ? demangler(name, NULL, NULL, &status) : NULL;
}
