// measure.h: what the parts of the measuring program share.
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>

// measure_race prints how long a race between the ways takes for moduli of so many bits; false where there was none.
bool measure_race(int bits);

#endif
