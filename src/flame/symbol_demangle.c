/*
 * By libiberty, as perf, gdb and binutils do it: C++ and both of Rust's manglings in one call, in
 * C, with a limit on recursion. The C++ library's __cxa_demangle knows no Rust and would make this
 * a C++ program.
 */
#include "symbol_demangle.h"

#include <libiberty/demangle.h>

char *tch_demangle(const char *name)
{
    if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R'))
        return NULL;
    return cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI);
}
