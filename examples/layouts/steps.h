#ifndef STEPS_H
#define STEPS_H

unsigned mix(unsigned x, unsigned y);
unsigned fold(unsigned x, unsigned y);

#endif
