// Empty on purpose: the C target includes <sodium.h> itself; this module carries the flags that pkg-config names.
