#include "cjosebytes.h"
