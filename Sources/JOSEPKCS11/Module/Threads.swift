// The threads that may block while a device works, and PIN files.

internal import CJOSEPKCS11
import JOSE
internal import JOSECrypto
import Synchronization

/// Starts threads up to a maximum, which includes those that hang in a module.
final class WorkerPool: Sendable {
    private let max: Int
    private let startOne: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let count = Atomic<Int>(0)

    static let process = WorkerPool(max: 1_024)

    init(
        max: Int,
        by start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = startThread
    ) {
        self.max = max
        startOne = start
    }

    /// False at the maximum, or if the system cannot start a thread.
    func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard count.add(1, ordering: .relaxed).newValue <= max else {
            count.subtract(1, ordering: .relaxed)
            return false
        }
        let isStarted = startOne { [self] in
            body()
            count.subtract(1, ordering: .relaxed)
        }
        if !isStarted { count.subtract(1, ordering: .relaxed) }
        return isStarted
    }
}

/// Reads the only line of a file as a secret; nil unless it has 1 to 256 bytes.
func secretLine(ofFile path: String) -> SecretBytes? {
    guard !path.utf8.contains(0) else { return nil }
    var count = 0
    var status = jose_p11_status.JOSE_P11_FAILED
    let whole = SecretBytes(count: 258) { out in
        while !out.isFull { out.append(0) }
        // Safe: C writes at most `count` bytes.
        unsafe out.withUnsafeMutableBufferPointer { buffer, _ in
            unsafe status = path.withCString {
                unsafe jose_p11_read_line(buffer.baseAddress, buffer.count, &count, $0)
            }
        }
    }
    guard status == .JOSE_P11_OK, 1...256 ~= count else { return nil }
    return whole.withSpan { span in
        let line = span.extracting(0..<count)
        // A control character, such as a newline, would be sent in the PIN and waste a try.
        for index in line.indices where line[index] < 0x20 { return nil }
        return SecretBytes(copying: line)
    }
}
