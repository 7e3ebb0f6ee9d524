// Random bytes and the wall clock.

internal import CJOSECrypto

/// Random bytes from OpenSSL's private generator.
package enum Random {
    /// After an error the buffer has zeros.
    package static func fill(_ bytes: inout MutableSpan<UInt8>) throws(CryptoError) {
        try check(unsafe bytes.withPointer { unsafe jose_random($0, $1) })
    }

    package static func bytes(_ count: Int) throws(CryptoError) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        var span = result.mutableSpan
        try fill(&span)
        return result
    }
}

package enum SystemClock {
    /// The time since 1970: whole seconds, and nanoseconds.
    package static func now() -> (seconds: Int64, nanoseconds: Int32) {
        var seconds: Int64 = 0
        var nanoseconds: Int32 = 0
        // Safe: C writes the two numbers and keeps nothing.
        unsafe jose_clock_now(&seconds, &nanoseconds)
        return (seconds, nanoseconds)
    }
}
