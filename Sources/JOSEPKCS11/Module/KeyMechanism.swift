// The mechanisms of private keys, each used by one call of the module.

internal import CJOSEPKCS11
import JOSE
import JOSEBytes
internal import JOSECrypto

/// A mechanism of a private key. With OAEP and PSS, MGF1 uses the same hash.
enum KeyMechanism: Sendable, Hashable {
    case signPKCS1(HashAlgorithm)
    case signPSS(HashAlgorithm)
    case signECDSA
    case signEd25519
    case signEd448
    case decryptOAEP(HashAlgorithm)
    case decryptRaw
    case agree

    fileprivate var native: (jose_p11_mechanism, jose_p11_hash) {
        switch self {
        case .signPKCS1(let hash): (.JOSE_P11_SIGN_PKCS1, KeyMechanism.native(hash))
        case .signPSS(let hash): (.JOSE_P11_SIGN_PSS, KeyMechanism.native(hash))
        case .signECDSA: (.JOSE_P11_SIGN_ECDSA, .JOSE_P11_SHA256)
        case .signEd25519: (.JOSE_P11_SIGN_ED25519, .JOSE_P11_SHA512)
        case .signEd448: (.JOSE_P11_SIGN_ED448, .JOSE_P11_SHA512)
        case .decryptOAEP(let hash): (.JOSE_P11_DECRYPT_OAEP, KeyMechanism.native(hash))
        case .decryptRaw: (.JOSE_P11_DECRYPT_RAW, .JOSE_P11_SHA256)
        case .agree: (.JOSE_P11_AGREE, .JOSE_P11_SHA256)
        }
    }

    private static func native(_ hash: HashAlgorithm) -> jose_p11_hash {
        switch hash {
        case .sha1: .JOSE_P11_SHA1
        case .sha256: .JOSE_P11_SHA256
        case .sha384: .JOSE_P11_SHA384
        case .sha512: .JOSE_P11_SHA512
        }
    }
}

/// The PIN for a login or for one operation.
enum OperationPIN {
    /// The key needs no PIN for an operation.
    case notRequested
    /// The device requests the PIN itself.
    case onDevice
    case given(SecretBytes)
}

extension PKCS11Module {
    func offers(_ mechanism: KeyMechanism, in slot: UInt64) -> Bool {
        unsafe jose_p11_offers(pointer, slot, mechanism.native.0)
    }

    /// Begins a decryption, which stays open: close the session.
    func beginDecryption(_ mechanism: KeyMechanism, _ object: UInt64, in session: UInt64)
        throws(PKCS11Error)
    {
        try check(
            unsafe withUse(mechanism, object, session, .notRequested) {
                unsafe jose_p11_begin_decryption(pointer, $0)
            })
    }

    func sign(
        _ mechanism: KeyMechanism, _ object: UInt64, _ input: [UInt8], maxBytes: Int,
        pin: OperationPIN,
        in session: UInt64
    ) throws(PKCS11Error) -> [UInt8] {
        var count = 0
        var status = jose_p11_status.JOSE_P11_FAILED
        // Safe: C writes at most `maxBytes` and returns how many.
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: maxBytes) { output, used in
            unsafe output.initialize(repeating: 0)
            status = unsafe withUse(mechanism, object, session, pin) { use in
                unsafe input.borrow { bytes, byteCount in
                    unsafe jose_p11_sign(
                        pointer, use, output.baseAddress, maxBytes, &count, bytes, byteCount)
                }
            }
            used = status == .JOSE_P11_OK ? count : 0
        }
        try check(status)
        return signature
    }

    func decrypt(
        _ mechanism: KeyMechanism, _ object: UInt64, _ input: [UInt8], pin: OperationPIN,
        in session: UInt64
    ) throws(PKCS11Error) -> ExternalKeySecret {
        var count = 0
        let whole = try SecretBytes(count: input.count) { out throws(PKCS11Error) in
            try check(
                unsafe fill(&out) { output, outputCount in
                    unsafe withUse(mechanism, object, session, pin) { use in
                        unsafe input.borrow { bytes, byteCount in
                            unsafe jose_p11_decrypt(
                                pointer, use, output, outputCount, &count, bytes, byteCount)
                        }
                    }
                })
        }
        return whole.withSpan { span in
            ExternalKeySecret(count: count) { $0.append(copying: span.extracting(0..<count)) }
        }
    }

    /// Derives a secret of exactly `bytes` bytes from the private key and a point.
    func agree(
        _ object: UInt64, with point: [UInt8], bytes: Int, in session: UInt64
    ) throws(PKCS11Error) -> ExternalKeySecret {
        try ExternalKeySecret(count: bytes) { out throws(PKCS11Error) in
            try check(
                unsafe fill(&out) { output, outputCount in
                    unsafe withUse(.agree, object, session, .notRequested) { use in
                        unsafe point.borrow { point, pointCount in
                            unsafe jose_p11_agree(
                                pointer, use, output, outputCount, point, pointCount)
                        }
                    }
                })
        }
    }

    /// Zeroes a buffer, passes all of it to C, and counts it as written.
    private func fill(
        _ out: inout OutputSpan<UInt8>,
        _ body: (UnsafeMutablePointer<UInt8>?, Int) -> jose_p11_status
    ) -> jose_p11_status {
        while !out.isFull { out.append(0) }
        return unsafe out.withUnsafeMutableBufferPointer { buffer, _ in
            unsafe body(buffer.baseAddress, buffer.count)
        }
    }

    private func withUse(
        _ mechanism: KeyMechanism, _ object: UInt64, _ session: UInt64, _ pin: OperationPIN,
        _ body: (UnsafePointer<jose_p11_use>) -> jose_p11_status
    ) -> jose_p11_status {
        var secret: SecretBytes?
        var needsPIN = true
        switch pin {
        case .notRequested: needsPIN = false
        case .onDevice: break
        case .given(let bytes): secret = bytes
        }
        return unsafe secret.borrow { bytes, count in
            var use = unsafe jose_p11_use(
                session: session, object: object, mechanism: mechanism.native.0,
                hash: mechanism.native.1,
                always_authenticate: needsPIN, pin: bytes, pin_len: count)
            return unsafe body(&use)
        }
    }
}
