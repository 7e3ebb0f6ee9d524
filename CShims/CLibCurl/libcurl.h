// Empty: the C targets include <curl/curl.h> themselves; this module only passes pkg-config's
// flags.
