// edges_race.c: which way of computing is taken where it was measured.

#include "played_race.h"

enum { SIZES = 3,
       THREADS = 64 };

// MARK: one race

// As in a new process: each way takes a microsecond more than the one before it, ten at least.
static void anew(void)
{
    memset(&played, 0, sizeof played);
    for (int way = 0; way < PLAYED; way++) played.takes[way] = 10000 + 1000 * way;
    for (int place = 0; place < SIZES; place++) {
        atomic_store(&tracks[place].racer, 0);
        atomic_store(&tracks[place].is_done, false);
        atomic_store(&tracks[place].first, JOSE_RSA_WAY_NONE);
        for (int way = 0; way < PLAYED; way++) atomic_store(&tracks[place].times[way], 0);
    }
}

static unsigned all_runs(void)
{
    unsigned runs = 0;
    for (int way = 0; way < PLAYED; way++) runs += played.runs[way];
    return runs;
}

// A race as it was played, of 2048 bits: what goes first.
static int first_of(void)
{
    need(played_is_open(256) && played_race(256, &provider) && !played_is_open(256), "a race");
    need(played.made == played.freed, "%u keys, %u freed", played.made, played.freed);
    return played_first(256);
}

static void orders(void)
{
    anew();
    need(first_of() == JOSE_RSA_WAY_NONE, "as it is");
    for (int way = 0; way < PLAYED; way++) need(played_time(256, way) == (uint32_t)played.takes[way], "time of %d", way);
    // A gain of 9 % changes nothing, a gain of 10 % does; for each way.
    for (int way = 1; way < PLAYED; way++)
        for (int64_t takes = 8900; takes <= 9100; takes += 10) {
            anew();
            played.takes[way] = takes;
            need(first_of() == (takes <= 9000 ? way : JOSE_RSA_WAY_NONE), "way %d takes %d", way, (int)takes);
        }
    // The fastest of several.
    anew();
    for (int way = 1; way < PLAYED; way++) played.takes[way] = 9000 - 1000 * way;
    need(first_of() == PLAYED - 1, "the last is the fastest");
    // The best of rounds counts: what is disturbed but once in three is as fast as it is.
    anew();
    played.more[0] = 9000000;
    need(first_of() == JOSE_RSA_WAY_NONE && played_time(256, 0) == 10000, "disturbed");
    anew();
    played.takes[PLAYED - 1] = 5000, played.more[PLAYED - 1] = 4000;
    need(first_of() == PLAYED - 1 && played_time(256, PLAYED - 1) == 5000, "disturbed, and still the best");
}

// What is slow is not run to the end: the race stays short.
static void shortness(void)
{
    anew();
    for (int way = 1; way < PLAYED; way++) played.takes[way] = 20001;
    need(first_of() == JOSE_RSA_WAY_NONE && played.runs[0] == 9, "rounds");
    for (int way = 1; way < PLAYED; way++) need(played.runs[way] == 2, "way %d ran %u times", way, played.runs[way]);
    anew();
    for (int way = 1; way < PLAYED; way++) played.takes[way] = 20000;
    need(first_of() == JOSE_RSA_WAY_NONE && played.runs[PLAYED - 1] == 9, "twice as slow may be a disturbance");
    // What takes longer is run less often (measure_race.c says how long that is); and once more, to warm up.
    static const unsigned runs[SIZES] = {9, 6, 4};
    for (int place = 0; place < SIZES; place++) {
        anew();
        need(played_race(256 + 128 * (size_t)place, &provider), "a race");
        for (int way = 0; way < PLAYED; way++) need(played.runs[way] == runs[place], "way %d ran %u times", way, played.runs[way]);
    }
}

// Once in a process, and a size does not touch another.
static void once(void)
{
    for (int place = 0; place < SIZES; place++) {
        anew();
        const size_t size = 256 + 128 * (size_t)place;
        played.takes[PLAYED - 1] = 5000;
        need(played_race(size, &provider) && played_first(size) == PLAYED - 1, "a race");
        const unsigned runs = all_runs();
        played.takes[PLAYED - 1] = 50000;
        need(played_race(size, &provider) && all_runs() == runs && played_first(size) == PLAYED - 1, "once");
        for (int other = 0; other < SIZES; other++) {
            const size_t its = 256 + 128 * (size_t)other;
            if (other == place) continue;
            need(played_is_open(its) && played_first(its) == JOSE_RSA_WAY_NONE && played_time(its, 0) == 0, "another size");
        }
    }
    anew();
    static const size_t none[] = {0, 128, 255, 257, 640};
    for (int i = 0; i < 5; i++)
        need(!played_is_open(none[i]) && !played_race(none[i], &provider) && played_first(none[i]) == JOSE_RSA_WAY_NONE &&
                 played_time(none[i], 0) == 0,
             "no such size");
    need(all_runs() == 0, "nothing ran");
}

// MARK: where there is none

static void none(void)
{
    anew();
    played.is_chosen = true;
    played.takes[PLAYED - 1] = 5000;
    need(!played_is_open(256) && !played_race(256, &provider) && all_runs() == 0, "a way that was chosen");
    need(played_first(256) == JOSE_RSA_WAY_NONE, "a way that was chosen");

    // What is off, or not here, takes no part: the next in the order leads.
    for (int way = 0; way < JOSE_RSA_WAY_BN; way++) {
        anew();
        played.is_off[way] = true;
        played.takes[way] = 2000;
        need(first_of() == JOSE_RSA_WAY_NONE && played.runs[way] == 0 && played_time(256, way) == 0, "off");
        need(way > 0 || JOSE_RSA_WAY_BN < 2 || played.runs[1] > 0, "the next");
    }
    anew();
    played.is_off[JOSE_RSA_WAY_EVP] = true;
    played.takes[JOSE_RSA_WAY_EVP] = 2000;
    need(first_of() == JOSE_RSA_WAY_NONE && played.runs[JOSE_RSA_WAY_EVP] == 0, "EVP has no such key");
    anew();
    need(played_race(256, NULL) && played.runs[JOSE_RSA_WAY_EVP] == 0 && played_first(256) == JOSE_RSA_WAY_NONE,
         "nobody gave EVP");

    // Without memory nothing is said, and the race may be run later.
    for (int way = 0; way < JOSE_RSA_WAY_EVP; way++)
        for (int unasked = 0; unasked < (way < JOSE_RSA_WAY_BN ? 2 : 1); unasked++) {
            anew();
            played.takes[PLAYED - 1] = 5000;
            played.has_no_memory[way] = true;
            if (unasked) played.more[way] = -1;
            need(!played_race(256, &provider) && played_is_open(256) && played_first(256) == JOSE_RSA_WAY_NONE,
                 "without memory for %d", way);
            need(all_runs() == 0 && played.made == played.freed, "nothing ran");
            played.has_no_memory[way] = false, played.more[way] = 0;
            need(first_of() == PLAYED - 1, "with memory again");
        }
}

// A clock that is none: it stands, is coarse, goes back, fails. The order stays, and that is final.
static void clocks(void)
{
    for (int64_t granule = 1000000; granule <= 1000000000; granule *= 1000) {
        anew();
        played.granule = granule;
        played.takes[PLAYED - 1] = 5000;
        need(first_of() == JOSE_RSA_WAY_NONE, "a clock by %d us", (int)(granule / 1000));
    }
    anew();
    for (int way = 0; way < PLAYED; way++) played.takes[way] = 0;
    need(first_of() == JOSE_RSA_WAY_NONE && played_time(256, 0) == 0, "a clock that stands");
    for (int64_t takes = 999; takes <= 1000; takes++) {
        anew();
        played.takes[PLAYED - 1] = takes;
        need(first_of() == (takes == 1000 ? PLAYED - 1 : JOSE_RSA_WAY_NONE), "a way that takes %d ns", (int)takes);
        need(played_time(256, PLAYED - 1) == (takes == 1000 ? 1000 : 0), "and what is told of it");
    }
    anew();
    for (int way = 0; way < PLAYED; way++) played.takes[way] = (INT64_C(5) << 32) - ((int64_t)way << 32);
    need(first_of() == JOSE_RSA_WAY_NONE && played_time(256, 0) == 0, "a machine that sleeps");
    anew();
    played.now = 3600000000000;
    played.takes[PLAYED - 1] = -5000;
    need(first_of() == JOSE_RSA_WAY_NONE && played_time(256, PLAYED - 1) == 0, "a clock that goes back");
    anew();
    played.now = 3600000000000;
    played.takes[0] = -5000;
    need(first_of() == JOSE_RSA_WAY_NONE, "back for the first");
    for (int fails = 1; fails < 40; fails++) {
        anew();
        played.clock_fails = fails;
        const int first = first_of();
        need(first == JOSE_RSA_WAY_NONE, "a clock that fails at reading %d", fails);
    }
}

// MARK: threads and processes

static void *try(void *unused)
{
    const bool is_done = played_race(256, &provider);
    need(!is_done && played_first(256) == JOSE_RSA_WAY_NONE, "another thread is at it");
    atomic_fetch_sub(&played.waiting, 1);
    return unused;
}

static void *run(void *unused)
{
    need(played_race(256, &provider), "the one that runs");
    return unused;
}

static void threads(void)
{
    pthread_t all[THREADS];
    anew();
    played.takes[PLAYED - 1] = 5000;
    atomic_store(&played.waiting, THREADS - 1);
    need(pthread_create(&all[0], NULL, run, NULL) == 0, "thread");
    while (atomic_load(&tracks[0].racer) == 0) usleep(100);
    for (int i = 1; i < THREADS; i++) need(pthread_create(&all[i], NULL, try, NULL) == 0, "thread");
    for (int i = 0; i < THREADS; i++) need(pthread_join(all[i], NULL) == 0, "thread");
    need(played_first(256) == PLAYED - 1 && played.runs[0] == 9, "one race");

    // A fork while another thread is at it: nobody is in the child.
    anew();
    played.takes[PLAYED - 1] = 5000;
    atomic_store(&tracks[0].racer, getpid());
    need(!played_race(256, &provider), "in the parent");
    atomic_store(&tracks[0].racer, getppid());
    need(first_of() == PLAYED - 1, "in the child");
}

void faults_edges_race(void)
{
    orders();
    shortness();
    once();
    none();
    clocks();
    threads();
    puts("race         between the ways: orders, clocks, memory, threads");
}
