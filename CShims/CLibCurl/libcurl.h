// Empty on purpose: the C target includes <curl/curl.h> itself; this module carries the flags that pkg-config names.
