#include "cjosecrypto.h"
