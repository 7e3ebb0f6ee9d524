// queue_entries.c: reads the error queue's entries and raises them again, by public functions.
// OSSL_ERR_STATE_save and OSSL_ERR_STATE_restore lose marks and, if memory runs out, all entries.

#include "queue.h"

#ifdef JOSE_QUEUE_BY_ENTRIES

#include <openssl/crypto.h>
#include <string.h>

// A mark can be set only if there is an entry. ERR_peek_error does not see an unfinished entry.
static bool has_entries(void)
{
    return ERR_set_mark() == 1 && ERR_clear_last_mark() == 1;
}

jose_status jose_queue_check(void)
{
    for (int i = 0; i <= JOSE_QUEUE_ENTRIES; i++) ERR_raise(ERR_LIB_USER, 1);
    const int count = ERR_count_to_mark();
    ERR_clear_error();
    return count == 0                    ? JOSE_INTERNAL
           : count <= JOSE_QUEUE_ENTRIES ? JOSE_OK
                                         : JOSE_UNSUPPORTED;
}

// Allocates without an error entry on failure.
static char *allocate(size_t size)
{
    return CRYPTO_malloc(size, NULL, 0);
}

static size_t space_of(const char *string)
{
    return string == NULL ? 0 : strlen(string) + 1;
}

static const char *keep(const char *string, char **at)
{
    const size_t space = space_of(string);
    if (space == 0 || *at == NULL) return NULL;
    const char *copy = memcpy(*at, string, space);
    *at += space;
    return copy;
}

static bool is_owned(const jose_queue_entry *entry)
{
    return (entry->flags & ERR_TXT_MALLOCED) != 0;
}

// Replaces the strings that belong to the queue by copies.
static void keep_strings(jose_queue *saved)
{
    size_t space = 0;
    for (int i = 0; i < saved->count; i++) {
        const jose_queue_entry *entry = &saved->entries[i];
        space += space_of(entry->file) + space_of(entry->function);
        if (is_owned(entry)) space += space_of(entry->data);
    }
    char *at = saved->strings = space == 0 ? NULL : allocate(space);
    for (int i = 0; i < saved->count; i++) {
        jose_queue_entry *entry = &saved->entries[i];
        entry->file = keep(entry->file, &at);
        entry->function = keep(entry->function, &at);
        if (is_owned(entry)) entry->data = keep(entry->data, &at);
    }
}

void jose_queue_save(jose_queue *saved)
{
    saved->count = 0;
    if (!has_entries()) return;
    // Removes withdrawn entries at the end of the queue: libcrypto counts, but never returns them.
    (void)ERR_peek_error();
    // marks[i] counts the marks with i entries after them. They are found from the last entry back.
    int marks[JOSE_QUEUE_ENTRIES] = {0}, left;
    while (left = ERR_count_to_mark(), ERR_clear_last_mark() == 1)
        if (left < JOSE_QUEUE_ENTRIES) marks[left]++;
    for (; left > JOSE_QUEUE_ENTRIES; left = ERR_count_to_mark()) (void)ERR_get_error();
    while (left > 0) {
        jose_queue_entry *entry = &saved->entries[saved->count];
        entry->code = ERR_get_error_all(&entry->file, &entry->line, &entry->function, &entry->data,
                                        &entry->flags);
        const int after = ERR_count_to_mark();
        // The marks of skipped entries move to the entry before them.
        const int skipped_to = entry->code == 0 ? after : after + 1;
        while (left > skipped_to)
            if (left--, saved->count > 0) saved->entries[saved->count - 1].marks += marks[left];
        if (entry->code != 0) {
            entry->marks = marks[after];
            saved->count++;
        }
        left = after;
    }
    keep_strings(saved);
}

// Raises an entry with its string, which the queue then owns if it owned the original.
static void raise_again(const jose_queue_entry *entry)
{
    ERR_new();
    ERR_set_debug(entry->file, entry->line, entry->function);
    ERR_set_error(ERR_GET_LIB(entry->code), ERR_GET_REASON(entry->code), NULL);
    char *data = (char *)entry->data;
    if (data == NULL || (*data == 0 && (entry->flags & ERR_TXT_STRING) == 0)) return;
    if (is_owned(entry)) {
        const size_t space = space_of(data);
        data = allocate(space);
        if (data == NULL) return;
        memcpy(data, entry->data, space);
    }
    ERR_set_error_data(data, entry->flags);
}

void jose_queue_restore(jose_queue *saved)
{
    if (has_entries()) ERR_clear_error();
    if (saved->count == 0) return;
    for (int i = 0; i < saved->count; i++) {
        raise_again(&saved->entries[i]);
        for (int k = 0; k < saved->entries[i].marks; k++) ERR_set_mark();
    }
    OPENSSL_free(saved->strings);
}

#endif
