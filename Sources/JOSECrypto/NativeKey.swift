// A key of any type: validated once, immutable, shared by all operations created from it.

internal import CJOSECrypto

/// A key as an OpenSSL object, or a symmetric key in memory that is wiped.
package final class NativeKey: Sendable {
    let handle: Handle

    /// The type and the curve.
    package let kind: NativeKeyKind
    /// The size in bits of the RSA modulus, the curve, the AKP public key or the symmetric key.
    package var bits: Int { Int(unsafe jose_key_bits(handle.pointer)) }
    /// The size in bytes, rounded up.
    package var sizeBytes: Int { (bits + 7) / 8 }
    /// Whether the key can sign and decrypt, as private and symmetric keys can.
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

    /// Returns a public number as imported: n and e, x and y, x, or pub, by index.
    func publicNumber(_ index: UInt32) -> [UInt8] {
        var count = 0
        // Safe: the bytes live as long as the key, and are copied at once.
        let bytes = unsafe jose_key_public_number(handle.pointer, index, &count)
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }

    /// Returns a secret of the key, which C writes.
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

    /// Returns `d` of an EC or OKP key, `priv` of AKP, or `k` of a symmetric key, in its JWK form.
    /// - Throws: `unusableKey` for RSA and public keys.
    package func secretMember() throws(CryptoError) -> SecretBytes {
        try unsafe secret(count: jose_key_secret_bytes(handle.pointer)) { out, count in
            unsafe jose_key_secret_write(self.handle.pointer, out, count)
        }
    }
}

/// The type of a key, with its curve or parameter set.
package enum NativeKeyKind: Sendable, Hashable {
    case rsa
    case curve(NativeCurve)
    case symmetric
}
