// engine.h: before the system's on the include path. Systems without engines have no such header.
#error "openssl/engine.h is not on every system: nothing may include it without looking for it"
