// The process: signals, environment, exit.

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
    /// Makes a closed pipe an error of the write instead of the silent end of the process.
    static func ignoreClosedPipes() { _ = signal(SIGPIPE, SIG_IGN) }

    /// Occupies the numbers of closed standard streams, so that the next file that is opened does
    /// not get one of them and receive messages.
    static func reserveStandardStreams() {
        for raw in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(raw, F_GETFD) < 0 {
            // Opened in the wrong direction, so that reading or writing is still an error.
            _ = unsafe open("/dev/null", raw == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    private static let skipsExitHandlers = Lock(false)

    /// Makes `end` skip exit handlers of libraries; all output is written by then.
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
