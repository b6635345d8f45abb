/*
 * Code that must not be unloaded.
 */
#ifndef TCH_STAY_LOADED_H
#define TCH_STAY_LOADED_H

/** Makes dlclose() keep the library that contains this code: for a plugin linked with libtacho.a,
    before it gives the C library or the kernel the address of a function of ours that outlives a
    call (a thread's destructor, a signal handler). The shared libtacho is linked with -z nodelete
    instead. Does nothing in a program. Takes the loader's lock. */
void tch_stay_loaded(void);

#endif
