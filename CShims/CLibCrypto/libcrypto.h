// Empty on purpose: the C target includes <openssl/…> itself; this module carries the flags that pkg-config names.
