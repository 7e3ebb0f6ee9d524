// Threads that may block.

internal import CJOSECrypto
internal import CJOSEThread

/// Starts a detached thread with all signals blocked; false if the system has none.
package func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = unsafe Unmanaged.passRetained(Body(body))
    // Safe: the thread takes the box once if and only if it starts.
    let isStarted = unsafe jose_thread_start(
        { context in
            if let context = unsafe context {
                unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            }
            return nil
        }, box.toOpaque())
    if !isStarted { unsafe box.release() }
    return isStarted
}

private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// An event that wakes up one waiting thread.
///
/// `@unchecked Sendable`: the C pointer is set once, and its header allows use from any thread.
@safe
package final class WakeUpEvent: @unchecked Sendable {
    private let pointer: OpaquePointer

    package init() throws(CryptoError) {
        guard let made = unsafe jose_wake_event_make() else { throw .failure }
        unsafe pointer = made
    }

    // Safe: every waiting or signalling caller retains the event.
    deinit { unsafe jose_wake_event_free(pointer) }

    /// Ends one wait, now or later. Two signals before a wait count once.
    package func signal() { unsafe jose_wake_event_signal(pointer) }

    /// Blocks the thread until the event is signalled, or returns at once if it was.
    package func wait() { unsafe jose_wake_event_wait(pointer) }
}

extension HostProcess {
    /// The number of this process, which a child of `fork` does not share.
    package static var identifier: Int32 { jose_process_identifier() }
}
