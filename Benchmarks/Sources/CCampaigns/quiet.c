// A child process under a seccomp filter: any system call besides a few ends it, and says which it
// was.

#include "campaigns.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    volatile int32_t step;
    volatile int32_t call;
} shared;

enum { ENDED = 0,
       FAILED = 3,
       CAUGHT = 4,
       NO_FILTER = 5 };

static shared *notes;

// Memory, locks, random numbers, the clock; and the end of the process. libcrypto's generator of
// random numbers asks for the number of the process each time, so that a child does not repeat its
// parent's.
static const int allowed[] = {
    SYS_mmap,
    SYS_munmap,
    SYS_mremap,
    SYS_brk,
    SYS_madvise,
    SYS_mprotect,
    SYS_mlock,
    SYS_futex,
    SYS_getrandom,
    SYS_getpid,
    SYS_clock_gettime,
    SYS_gettimeofday,
    SYS_exit_group,
    SYS_rt_sigreturn,
};

static void caught(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    if (notes != NULL) notes->call = info->si_syscall;
    _exit(CAUGHT);
}

static bool forbid(void)
{
    enum { COUNT = sizeof allowed / sizeof *allowed };
    struct sock_filter program[2 * COUNT + 5];
    size_t at = 0;
#if defined(__x86_64__)
    const uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
    const uint32_t machine = AUDIT_ARCH_AARCH64;
#endif
    program[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    program[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0);
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    program[at++] =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < COUNT; i++) {
        program[at++] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i], 0, 1);
        program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    program[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    struct sigaction action = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO};
    if (sigaction(SIGSYS, &action, NULL) != 0) return false;
    const struct sock_fprog filter = {(unsigned short)at, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

bool quiet_run(bool warm, quiet_work work, const void *context, quiet_result *result)
{
    notes = mmap(NULL, sizeof *notes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (notes == MAP_FAILED) return false;
    notes->step = notes->call = -1;
    const pid_t child = fork();
    if (child < 0) return false;
    if (child == 0) {
        if (warm) work(context);
        if (!forbid()) _exit(NO_FILTER);
        work(context);
        _exit(ENDED);
    }
    int status;
    if (waitpid(child, &status, 0) != child) return false;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : CAUGHT;
    *result = (quiet_result){code == ENDED, notes->step, notes->call};
    (void)munmap(notes, sizeof *notes);
    notes = NULL;
    return code != NO_FILTER;
}

void quiet_step(int32_t step)
{
    if (notes != NULL) notes->step = step;
}

void quiet_fail(void)
{
    _exit(FAILED);
}

void quiet_provoke(void)
{
    (void)open("/dev/null", O_RDONLY | O_CLOEXEC);
}
