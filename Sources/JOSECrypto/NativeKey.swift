// A key of any type: validated once, immutable, shared by all operations that use it.

internal import CJOSECrypto

/// A key as an OpenSSL object, or a symmetric key in memory that is wiped.
package final class NativeKey: Sendable {
    let handle: Handle

    package let kind: NativeKeyKind
    /// The size in bits of the modulus, the curve's field, the AKP public key or the symmetric key.
    package var bits: Int { Int(unsafe jose_key_bits(handle.pointer)) }
    package var sizeBytes: Int { (bits + 7) / 8 }
    /// Whether the key has its private part. True for symmetric keys.
    package var isPrivate: Bool { unsafe jose_key_is_private(handle.pointer) }

    private init(_ pointer: OpaquePointer, _ kind: NativeKeyKind) {
        self.kind = kind
        handle = unsafe Handle(pointer, release: jose_key_release)
    }

    static func owned(
        _ pointer: OpaquePointer?, _ kind: NativeKeyKind
    ) throws(CryptoError) -> NativeKey {
        guard let pointer = unsafe pointer else { throw .failure }
        return unsafe NativeKey(pointer, kind)
    }

    /// A public number as imported, by index: n and e, x and y, x, or pub.
    func publicNumber(_ index: UInt32) -> [UInt8] {
        var count = 0
        // Safe: the bytes live as long as the key, and are copied at once.
        let bytes = unsafe jose_key_public_number(handle.pointer, index, &count)
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Returns a secret of `count` bytes that C writes. Throws `unusableKey` for a count of 0.
    func secret(
        count: Int, _ write: (MutableBytes?, Int) -> jose_status
    ) throws(CryptoError) -> SecretBytes {
        guard count > 0 else { throw .unusableKey }
        return try SecretBytes(count: count) { (out) throws(CryptoError) in
            // Safe: C writes exactly `count` bytes, or fails and leaves zeros.
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                let status = unsafe write(buffer.baseAddress, count)
                if status == .JOSE_OK { initialized = count }
                return status
            }
            try check(status)
        }
    }

    /// `d` of an EC or OKP key, the seed of AKP, or `k`. Throws `unusableKey` for other keys.
    package func secretMember() throws(CryptoError) -> SecretBytes {
        try unsafe secret(count: jose_key_secret_bytes(handle.pointer)) { out, count in
            unsafe jose_key_secret_write(self.handle.pointer, out, count)
        }
    }
}

package enum NativeKeyKind: Sendable, Hashable {
    case rsa
    case curve(NativeCurve)
    case symmetric
}
