// fips.c: starts the FIPS provider in a library context of its own. Before OpenSSL 3.2 a provider
// gets its settings only from a configuration. So one is written here in memory, from checked names
// and values, for this context alone. libcrypto's configuration file and environment variables are
// not read.

#include "fips.h"

#include <fcntl.h>
#include <openssl/bio.h>
#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host.h"

// MARK: the configuration

#define LOWER_CASE "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

static bool consists(const char *text, const char *allowed)
{
    return *text != 0 && text[strspn(text, allowed)] == 0;
}

// If a value names a section, the provider gets the content of that section instead. So the section
// names below contain `~`, which no value has. Every configuration has a section `default`, so that
// value is rejected.
static bool is_value(const char *text)
{
    return consists(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ" LOWER_CASE DIGITS "-_.:/+") &&
           strcmp(text, "default") != 0;
}

// The first slash keeps the path from naming a section. None of these characters has a meaning in a
// configuration (Homebrew has @ in its paths).
bool jose_fips_accepts_path(const char *text)
{
    return text[0] == '/' &&
           consists(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ" LOWER_CASE DIGITS "-_.:/+@,~");
}

static bool is_setting(const jose_fips_setting *setting)
{
    // Names without a hyphen are libcrypto's own, for any provider.
    return consists(setting->name, LOWER_CASE DIGITS "-") && strchr(setting->name, '-') != NULL &&
           is_value(setting->value);
}

char *jose_fips_configuration(const char *module, const jose_fips_setting *settings, size_t count)
{
    static const char before[] =
        "jose = jose~start\n[jose~start]\nproviders = jose~all\n[jose~all]\nfips = jose~fips\n"
        "[jose~fips]\nactivate = 1\n";
    if (!jose_fips_accepts_path(module)) return NULL;
    size_t size = sizeof before + strlen("module = \n") + strlen(module);
    for (size_t i = 0; i < count; i++) {
        if (!is_setting(&settings[i])) return NULL;
        size += strlen(settings[i].name) + strlen(" = \n") + strlen(settings[i].value);
    }
    char *out = OPENSSL_malloc(size);
    if (out == NULL) return NULL;
    size_t at = (size_t)snprintf(out, size, "%smodule = %s\n", before, module);
    for (size_t i = 0; i < count; i++)
        at += (size_t)snprintf(out + at, size - at, "%s = %s\n", settings[i].name,
                               settings[i].value);
    return out;
}

// Returns false if the provider does not start. libcrypto reports that as success, and a later
// OSSL_PROVIDER_load would take another module, without settings.
static bool configure(OSSL_LIB_CTX *context, const char *configuration)
{
    CONF *conf = NCONF_new_ex(context, NULL);
    BIO *text = BIO_new_mem_buf(configuration, -1);
    long line = 0;
    const bool done = conf != NULL && text != NULL && NCONF_load_bio(conf, text, &line) == 1 &&
                      CONF_modules_load(conf, "jose", CONF_MFLAGS_NO_DSO) == 1 &&
                      OSSL_PROVIDER_available(context, "fips") == 1;
    BIO_free(text);
    NCONF_free(conf);
    return done;
}

// MARK: making

// Among the error entries of a failed start, only lack of memory is an internal error.
static jose_fips_failure not_started(void)
{
    bool is_memory = false;
    unsigned long code;
    while ((code = ERR_get_error()) != 0)
        is_memory |= ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE;
    return is_memory ? JOSE_FIPS_INTERNAL : JOSE_FIPS_NOT_STARTED;
}

// Whether the FIPS provider is loaded. The base provider has no digests.
static bool has_fips_provider(OSSL_LIB_CTX *context)
{
    EVP_MD *digest = EVP_MD_fetch(context, "SHA2-256", JOSE_FIPS_PROPERTIES);
    EVP_MD_free(digest);
    return digest != NULL;
}

static jose_fips_failure start(jose_library *made, const char *configuration)
{
    if (!configure(made->context, configuration)) return not_started();
    made->provider = OSSL_PROVIDER_load(made->context, "fips");
    if (made->provider == NULL) return not_started();
    made->base = OSSL_PROVIDER_load(made->context, "base");
    if (made->base == NULL) return JOSE_FIPS_INTERNAL;
    jose_fips_description described;
    if (!has_fips_provider(made->context) ||
        !jose_fips_read_description(&described, made->provider) || !described.is_running ||
        OSSL_PROVIDER_self_test(made->provider) != 1)
        return not_started();
    return JOSE_FIPS_OK;
}

jose_fips_failure jose_fips_make(jose_library **library, const char *module,
                                 const char *configuration)
{
    *library = NULL;
    if (!jose_library_runs()) return JOSE_FIPS_UNUSABLE;
    if (access(module, R_OK) != 0) return JOSE_FIPS_NO_MODULE;
    jose_library made = {
        .context = OSSL_LIB_CTX_new(),
        .properties = JOSE_FIPS_PROPERTIES,
        .is_fips = true,
        .forced = (jose_options)(JOSE_PROVIDER_ONLY | JOSE_PORTABLE),
    };
    if (made.context == NULL) return JOSE_FIPS_INTERNAL;
    const jose_fips_failure failure = start(&made, configuration);
    if (failure != JOSE_FIPS_OK) {
        if (made.base != NULL) OSSL_PROVIDER_unload(made.base);
        if (made.provider != NULL) OSSL_PROVIDER_unload(made.provider);
        OSSL_LIB_CTX_free(made.context);
        return failure;
    }
    *library = jose_library_fetch(&made);
    return *library == NULL ? JOSE_FIPS_INTERNAL : JOSE_FIPS_OK;
}

// MARK: facts

static void copy(char out[JOSE_FIPS_TEXT], const char *text)
{
    (void)snprintf(out, JOSE_FIPS_TEXT, "%s", text == NULL ? "" : text);
}

bool jose_fips_is_running(const OSSL_PROVIDER *provider)
{
    int status = 0;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int(OSSL_PROV_PARAM_STATUS, &status),
        OSSL_PARAM_construct_end(),
    };
    return OSSL_PROVIDER_get_params(provider, params) == 1 && status == 1;
}

bool jose_fips_read_description(jose_fips_description *out, const OSSL_PROVIDER *provider)
{
    const char *name = NULL, *version = NULL, *build = NULL;
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_NAME, (char **)&name, 0),
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_VERSION, (char **)&version, 0),
        OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, (char **)&build, 0),
        OSSL_PARAM_construct_end(),
    };
    if (OSSL_PROVIDER_get_params(provider, params) != 1) return false;
    copy(out->name, name);
    copy(out->version, version);
    copy(out->build, build);
    out->is_running = jose_fips_is_running(provider);
    return true;
}

static bool join(char *out, size_t capacity, int folder, const char *file, const char *extension)
{
    const char *path = OPENSSL_info(folder);
    if (path == NULL) return false;
    const int size = snprintf(out, capacity, "%s/%s%s", path, file, extension);
    return size > 0 && (size_t)size < capacity;
}

bool jose_fips_default_module(char *out, size_t capacity)
{
    const char *extension = OPENSSL_info(OPENSSL_INFO_DSO_EXTENSION);
    return extension != NULL && join(out, capacity, OPENSSL_INFO_MODULES_DIR, "fips", extension);
}

bool jose_fips_default_configuration(char *out, size_t capacity)
{
    return join(out, capacity, OPENSSL_INFO_CONFIG_DIR, "fipsmodule", ".cnf");
}

jose_status jose_fips_read(const char *path, uint8_t *out, size_t *len)
{
    const size_t capacity = *len;
    *len = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return JOSE_REJECTED;
    struct stat facts;
    bool done = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                (uint64_t)facts.st_size <= capacity;
    while (done && *len < capacity) {
        const ssize_t count = read(file, out + *len, capacity - *len);
        if (count <= 0) {
            done = count == 0;
            break;
        }
        *len += (size_t)count;
    }
    // The file may have grown since fstat.
    uint8_t more;
    if (done && *len == capacity) done = read(file, &more, 1) == 0;
    close(file);
    return done ? JOSE_OK : JOSE_REJECTED;
}
