// Empty on purpose: the C target includes <zlib.h> itself; this module carries the flags that pkg-config names.
