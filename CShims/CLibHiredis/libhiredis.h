// Empty: the C target includes <hiredis/hiredis.h> itself; this module names the package to
// install.
