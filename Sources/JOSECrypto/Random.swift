// Random bytes and the wall clock: this module's only inputs from the system.

internal import CJOSECrypto

/// Random bytes from OpenSSL's private generator.
package enum Random {
    /// Fills the buffer with random bytes; on error it has zeros.
    package static func fill(_ bytes: inout MutableSpan<UInt8>) throws(CryptoError) {
        try check(unsafe bytes.withPointer { unsafe jose_random($0, $1) })
    }

    /// Returns random bytes; one allocation.
    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var span = result.mutableSpan
        try fill(&span)
        return result
    }
}

package enum SystemClock {
    /// Returns the time since 1970 in whole seconds and nanoseconds.
    package static func now() -> (seconds: Int64, nanoseconds: Int32) {
        var seconds: Int64 = 0
        var nanoseconds: Int32 = 0
        // Safe: C writes the two numbers and keeps nothing.
        unsafe jose_clock_now(&seconds, &nanoseconds)
        return (seconds, nanoseconds)
    }
}
