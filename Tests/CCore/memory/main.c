// main.c: starts a process for each case, and searches it whenever it requests that.
//
//     memory FOLDER [N|NAME]      all cases, or one: by its number, or the first of an algorithm
//     memory FOLDER case N OUT IN  the subject of one case; communicates through these descriptors

#define _GNU_SOURCE
#include "cores.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_SUCH_CASE = 3 };

static int out = -1, in = -1;

void cores_speak_to(int to, int from)
{
    out = to;
    in = from;
}

static void write_all(const void *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        const ssize_t now = write(out, (const char *)bytes + done, len - done);
        need(now > 0);
        done += (size_t)now;
    }
}

void cores_tell(cores_kind kind, const char *name, const uint8_t *bytes, size_t len)
{
    cores_word word = {.kind = kind, .len = len};
    strncpy(word.name, name, sizeof word.name - 1);
    write_all(&word, sizeof word);
    write_all(bytes, len);
}

void cores_look(const char *after)
{
    char answer;
    cores_tell(CORES_LOOK, after, NULL, 0);
    need(read(in, &answer, 1) == 1);
}

static bool read_all(int from, void *bytes, size_t len)
{
    for (size_t done = 0; done < len;) {
        const ssize_t now = read(from, (char *)bytes + done, len - done);
        if (now <= 0) return false;
        done += (size_t)now;
    }
    return true;
}

static unsigned looks, bad;

// Serves a case until it ends. Returns false if there is no such case.
static bool verify(const char *program, const char *folder, unsigned number)
{
    int there[2], back[2], status;
    need(pipe(there) == 0 && pipe(back) == 0);
    const pid_t process = fork();
    need(process >= 0);
    if (process == 0) {
        char numbers[3][16];
        snprintf(numbers[0], 16, "%u", number);
        snprintf(numbers[1], 16, "%d", there[1]);
        snprintf(numbers[2], 16, "%d", back[0]);
        close(there[0]);
        close(back[1]);
        execl(program, program, folder, "case", numbers[0], numbers[1], numbers[2], (char *)NULL);
        _exit(127);
    }
    close(there[1]);
    close(back[0]);
    static uint8_t bytes[CORES_MOST];
    char title[CORES_NAME] = "";
    cores_word word;
    while (read_all(there[0], &word, sizeof word)) {
        need(word.len <= sizeof bytes && read_all(there[0], bytes, word.len));
        if (word.kind != CORES_LOOK) {
            cores_hear(word.kind, word.name, bytes, word.len);
            continue;
        }
        // The first one names the case.
        if (title[0] == 0) {
            memcpy(title, word.name, sizeof title);
        } else {
            looks++;
            bad += cores_search(process, title, word.name);
        }
        need(write(back[1], "", 1) == 1);
    }
    explicit_bzero(bytes, sizeof bytes);
    cores_forget();
    close(there[0]);
    close(back[1]);
    need(waitpid(process, &status, 0) == process);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_CASE) return false;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        printf("FAILED  memory: case %u, %s, ended badly\n", number, title);
        bad++;
    }
    return true;
}

int main(int argument_count, char **arguments)
{
    need(argument_count >= 2);
    if (argument_count == 6) {
        cores_speak_to(atoi(arguments[4]), atoi(arguments[5]));
        return cores_run((unsigned)atoi(arguments[3]), arguments[1]) ? 0 : NO_SUCH_CASE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argument_count == 3) {
        const bool is_number = arguments[2][strspn(arguments[2], "0123456789")] == 0;
        const unsigned one = is_number ? (unsigned)atoi(arguments[2]) : cores_number(arguments[2]);
        return !verify(arguments[0], arguments[1], one) || bad > 0;
    }
    // Case 0 keeps a secret on purpose: the search must find it in each kind of memory.
    need(verify(arguments[0], arguments[1], 0));
    if (bad != 3) {
        printf("FAILED  memory: the search found %u of 3 secrets that were left on purpose\n", bad);
        return 1;
    }
    bad = looks = 0;
    unsigned number = 1, absent = 0;
    for (bool is_here;
         !(is_here = cores_is_here(number)) || verify(arguments[0], arguments[1], number); number++)
        absent += !is_here;
    printf("memory  %u operations, %u searches of all writable memory: %u finds\n",
           number - 1 - absent, looks, bad);
    return bad > 0 || number == 1;
}
