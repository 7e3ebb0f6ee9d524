// The process itself: signals, environment, its end.

import JOSEBytes
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

enum Process {
    /// A closed pipe is an error of the write, not the silent end of the process.
    static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// A standard stream that is closed stays so to us, but its number is taken: else the next file to be opened had
    /// it, and messages were written into that.
    static func holdStandardStreams() {
        for raw in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(raw, F_GETFD) < 0 {
            // Opened the other way round, so that to read or write is the error that it was.
            _ = unsafe open("/dev/null", raw == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static let isAbrupt = Lock(false)

    /// From now on `end` leaves without what libraries do last: all output is written by then.
    static func endsAtOnce() { isAbrupt.withLock { $0 = true } }

    static func end(_ code: Int32) -> Never {
        if isAbrupt.withLock({ $0 }) { _exit(code) }
        exit(code)
    }

    static func environment(_ name: String) -> String? {
        // Safe: copied at once, and nobody here changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
