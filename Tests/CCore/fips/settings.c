// settings.c: reads a file of openssl-fipsinstall for these programs. The library's own reader is
// FIPSConfiguration (Sources/JOSE/PreparedKeys).

#include <stdio.h>
#include <string.h>

#include "fips.h"

jose_fips_failure settings_load(const char *module, const char *path)
{
    static char lines[64][256];
    jose_fips_setting settings[64];
    size_t count = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return JOSE_FIPS_INTERNAL;
    while (count < 64 && fgets(lines[count], sizeof lines[count], file) != NULL) {
        char *name = lines[count], *value = strstr(name, " = ");
        if (value == NULL || strncmp(name, "activate", 8) == 0) continue;
        *value = 0;
        value += 3;
        value[strcspn(value, "\n")] = 0;
        settings[count++] = (jose_fips_setting){name, value};
    }
    fclose(file);
    return jose_fips_load(module, settings, count);
}
