// Threads that may block for as long as a device takes, so that no other has to.

internal import CJOSEPKCS11
internal import CJOSEThread
import JOSE
internal import JOSECrypto
import Synchronization

/// How many threads there may be; those that a module never gives back are among them, so that they are bounded too.
final class WorkerPool: Sendable {
    private let most: Int
    private let count = Atomic<Int>(0)

    /// All tokens of the process.
    static let process = WorkerPool(most: 1_024)

    init(most: Int) { self.most = most }

    /// Starts a thread of its own; false where none can be had.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= most else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        let isStarted = startThread { [self] in
            body()
            count.subtract(1, ordering: .relaxed)
        }
        if !isStarted { count.subtract(1, ordering: .relaxed) }
        return isStarted
    }
}

/// Starts a thread of its own; false where none can be had.
private func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = unsafe Unmanaged.passRetained(Body(body))
    // Safe: the thread takes the box once, exactly if it starts.
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

/// A bell on which one thread waits. The conformance is unchecked because of the C pointer, which is set once and documented
/// as safe to use from any thread.
@safe
final class Bell: @unchecked Sendable {
    private let pointer: OpaquePointer

    init() throws(JOSEError) {
        guard let made = unsafe jose_wake_event_make() else { throw .internalFailure }
        unsafe pointer = made
    }

    // Safe: whoever waits or rings holds the bell.
    deinit { unsafe jose_wake_event_free(pointer) }

    /// Lets one wait end, now or later; two rings before it are one.
    func ring() { unsafe jose_wake_event_signal(pointer) }

    /// Blocks the thread until the bell is rung, or was.
    func wait() { unsafe jose_wake_event_wait(pointer) }
}

/// The one line of a file as a secret, without its end; nil where there is none of 1 to 256 bytes.
func secretLine(ofFile path: String) -> SecretBytes? {
    guard !path.utf8.contains(0) else { return nil }
    var count = 0
    var status = jose_p11_status.JOSE_P11_FAILED
    let whole = SecretBytes(count: 258) { out in
        while !out.isFull { out.append(0) }
        // Safe: C writes at most as many bytes as there is room for.
        unsafe out.withUnsafeMutableBufferPointer { buffer, _ in
            unsafe status = path.withCString {
                unsafe jose_p11_read_line(buffer.baseAddress, buffer.count, &count, $0)
            }
        }
    }
    guard status == .JOSE_P11_OK, 1...256 ~= count else { return nil }
    return whole.withSpan { span in
        let line = span.extracting(0..<count)
        // A second line or a NUL would go to the token as a part of the PIN: a wrong try.
        for index in line.indices where line[index] < 0x20 { return nil }
        return SecretBytes(copying: line)
    }
}
