// What a private key of a token does, by one call of its module.

internal import CJOSEPKCS11
import JOSE
import JOSEBytes
internal import JOSECrypto

/// What a key does; of OAEP and PSS the hash is MGF1's too.
enum KeyImplementation: Sendable, Hashable {
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
        case .signPKCS1(let hash): (.JOSE_P11_SIGN_PKCS1, KeyImplementation.native(hash))
        case .signPSS(let hash): (.JOSE_P11_SIGN_PSS, KeyImplementation.native(hash))
        case .signECDSA: (.JOSE_P11_SIGN_ECDSA, .JOSE_P11_SHA256)
        case .signEd25519: (.JOSE_P11_SIGN_ED25519, .JOSE_P11_SHA512)
        case .signEd448: (.JOSE_P11_SIGN_ED448, .JOSE_P11_SHA512)
        case .decryptOAEP(let hash): (.JOSE_P11_DECRYPT_OAEP, KeyImplementation.native(hash))
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

/// The PIN for one use of a key that wants it each time.
enum UsePIN {
    /// The key does not want it.
    case notRequested
    /// The device asks for it itself.
    case onDevice
    case given(SecretBytes)
}

extension PKCS11Module {
    /// Whether a slot's token says that it works in this way.
    func offers(_ way: KeyImplementation, in slot: UInt64) -> Bool {
        unsafe jose_p11_offers(pointer, slot, way.native.0)
    }

    /// Whether a key takes a way that decrypts, with its hash; the session is to be closed afterwards.
    func canBegin(_ way: KeyImplementation, _ object: UInt64, in session: UInt64) throws(PKCS11Error) {
        try check(
            unsafe lend(way, object, session, .notRequested) {
                unsafe jose_p11_can_begin(pointer, $0)
            })
    }

    /// Signs; at most `maxBytes` come back.
    func sign(
        _ way: KeyImplementation, _ object: UInt64, _ input: [UInt8], maxBytes: Int, pin: UsePIN,
        in session: UInt64
    ) throws(PKCS11Error) -> [UInt8] {
        var count = 0
        var status = jose_p11_status.JOSE_P11_FAILED
        // Safe: C says how many bytes it wrote, at most as many as there is room for.
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: maxBytes) { room, used in
            unsafe room.initialize(repeating: 0)
            status = unsafe lend(way, object, session, pin) { use in
                unsafe input.lend { bytes, byteCount in
                    unsafe jose_p11_sign(
                        pointer, use, room.baseAddress, maxBytes, &count, bytes, byteCount)
                }
            }
            used = status == .JOSE_P11_OK ? count : 0
        }
        try check(status)
        return signature
    }

    /// Decrypts; at most as many bytes come back as went in.
    func decrypt(
        _ way: KeyImplementation, _ object: UInt64, _ input: [UInt8], pin: UsePIN, in session: UInt64
    ) throws(PKCS11Error) -> ExternalKeySecret {
        var count = 0
        let whole = try SecretBytes(count: input.count) { out throws(PKCS11Error) in
            try check(
                unsafe fill(&out) { room, roomCount in
                    unsafe lend(way, object, session, pin) { use in
                        unsafe input.lend { bytes, byteCount in
                            unsafe jose_p11_decrypt(
                                pointer, use, room, roomCount, &count, bytes, byteCount)
                        }
                    }
                })
        }
        return whole.withSpan { span in
            ExternalKeySecret(count: count) { $0.append(copying: span.extracting(0..<count)) }
        }
    }

    /// The secret shared with a point: exactly so many bytes.
    func agree(
        _ object: UInt64, with point: [UInt8], bytes: Int, in session: UInt64
    ) throws(PKCS11Error) -> ExternalKeySecret {
        try ExternalKeySecret(count: bytes) { out throws(PKCS11Error) in
            try check(
                unsafe fill(&out) { room, roomCount in
                    unsafe lend(.agree, object, session, .notRequested) { use in
                        unsafe point.lend { point, pointCount in
                            unsafe jose_p11_agree(pointer, use, room, roomCount, point, pointCount)
                        }
                    }
                })
        }
    }

    /// Lends all of a buffer, zeroed, to C and counts it as written.
    private func fill(
        _ out: inout OutputSpan<UInt8>,
        _ body: (UnsafeMutablePointer<UInt8>?, Int) -> jose_p11_status
    ) -> jose_p11_status {
        while !out.isFull { out.append(0) }
        return unsafe out.withUnsafeMutableBufferPointer { buffer, _ in
            unsafe body(buffer.baseAddress, buffer.count)
        }
    }

    private func lend(
        _ way: KeyImplementation, _ object: UInt64, _ session: UInt64, _ pin: UsePIN,
        _ body: (UnsafePointer<jose_p11_use>) -> jose_p11_status
    ) -> jose_p11_status {
        var secret: SecretBytes?
        var asks = true
        switch pin {
        case .notRequested: asks = false
        case .onDevice: break
        case .given(let bytes): secret = bytes
        }
        return unsafe secret.lend { bytes, count in
            var use = unsafe jose_p11_use(
                session: session, object: object, mechanism: way.native.0, hash: way.native.1,
                asks: asks, pin: bytes, pin_len: count)
            return unsafe body(&use)
        }
    }
}
