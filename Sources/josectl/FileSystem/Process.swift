// Standard streams, signals, environment and exit of this process.

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
    /// Makes a write to a closed pipe an error. By default, SIGPIPE ends the process silently.
    static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Opens closed standard streams. Otherwise the next opened file would get the number of a
    /// standard stream, and messages would be written to that file.
    static func reserveStandardStreams() {
        for raw in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(raw, F_GETFD) < 0 {
            // The wrong direction, so that reading or writing the stream is still an error.
            _ = unsafe open("/dev/null", raw == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static let skipsExitHandlers = Lock(false)

    /// Makes `end` skip the exit handlers of libraries. All output has been written by then.
    static func skipExitHandlers() { skipsExitHandlers.withLock { $0 = true } }

    static func end(_ code: Int32) -> Never {
        if skipsExitHandlers.withLock({ $0 }) { _exit(code) }
        exit(code)
    }

    static func environment(_ name: String) -> String? {
        // Safe: copied immediately, and this process never changes the environment.
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}
