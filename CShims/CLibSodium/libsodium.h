// Empty: the C targets include <sodium.h> themselves; this module only passes pkg-config's flags.
