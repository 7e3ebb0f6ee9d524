// The process itself: signals, environment, clock.

import Glibc

enum Process {
    /// A closed pipe is an error of the write, not the silent end of the process.
    static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    static func environment(_ name: String) -> String? {
        // Safe: copied at once, and nobody here changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }

    static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Seconds since some fixed moment.
    static func monotonicSeconds() -> Double {
        var time = timespec()
        // Safe: the record is ours.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
