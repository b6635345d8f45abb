/*
 * Tables of bench_promise about many things that are compared at once: the commands of `tacho run`,
 * the cells of `tacho sweep`, the saves of a baseline.
 */
#ifndef BENCH_PROMISE_MANY_H
#define BENCH_PROMISE_MANY_H

#include <stddef.h>

/* Prints the table "commands": how often a command is called slower than the fastest. */
void promise_commands(void);

/* Prints the table "cells": how often the best of 24 cells is named, and a wrong one. */
void promise_cells(void);

/* Prints the table "days": wrong FAILs against a baseline, by when it was saved. */
void promise_days(void);

#endif
