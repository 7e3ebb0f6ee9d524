// Empty: the C targets include <zlib.h> themselves; this module only passes pkg-config's flags.
