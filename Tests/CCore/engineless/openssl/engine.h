// engine.h: found before the system's on the include path, as on systems without engines, which
// have no such header.
#error "openssl/engine.h is not on every system: nothing may include it without looking for it"
