// Sessions, the login, and objects of a token.

internal import CJOSEPKCS11
internal import JOSECrypto

/// A kind of object.
enum ObjectKind {
    case certificate, publicKey, privateKey

    fileprivate var native: jose_p11_kind {
        switch self {
        case .certificate: .JOSE_P11_CERTIFICATE
        case .publicKey: .JOSE_P11_PUBLIC_KEY
        case .privateKey: .JOSE_P11_PRIVATE_KEY
        }
    }
}

/// An attribute of bytes; of yes and no they are one byte.
enum ObjectAttribute {
    case id, label, signs, decrypts, derives, alwaysAsks, modulus, exponent, curve, point, value

    fileprivate var native: jose_p11_attribute {
        switch self {
        case .id: .JOSE_P11_ID
        case .label: .JOSE_P11_LABEL
        case .signs: .JOSE_P11_SIGNS
        case .decrypts: .JOSE_P11_DECRYPTS
        case .derives: .JOSE_P11_DERIVES
        case .alwaysAsks: .JOSE_P11_ALWAYS_ASKS
        case .modulus: .JOSE_P11_MODULUS
        case .exponent: .JOSE_P11_EXPONENT
        case .curve: .JOSE_P11_EC_PARAMS
        case .point: .JOSE_P11_EC_POINT
        case .value: .JOSE_P11_VALUE
        }
    }

    /// The most that is read of it, in bytes.
    fileprivate var maxBytes: Int { self == .value ? 65_536 : 2_048 }
}

extension PKCS11Module {
    func openSession(_ slot: UInt64, writes: Bool = false) throws(PKCS11Error) -> UInt64 {
        var session: UInt64 = 0
        try check(unsafe jose_p11_open(pointer, &session, slot, writes))
        return session
    }

    func close(_ session: UInt64) { unsafe jose_p11_close(pointer, session) }

    func isLoggedIn(_ session: UInt64) throws(PKCS11Error) -> Bool {
        var isLoggedIn = false
        try check(unsafe jose_p11_is_logged_in(pointer, &isLoggedIn, session))
        return isLoggedIn
    }

    /// Logs in; without a PIN the device asks for it.
    func login(_ session: UInt64, pin: SecretBytes?) throws(PKCS11Error) {
        try check(unsafe pin.lend { unsafe jose_p11_login(pointer, session, $0, $1) })
    }

    /// The objects of a kind with this id and label, where they are given; at most 255.
    func find(
        _ kind: ObjectKind, id: [UInt8]?, label: [UInt8]?, in session: UInt64
    ) throws(PKCS11Error) -> [UInt64] {
        var objects = [UInt64](repeating: 0, count: 255)
        var count = 0
        let status = unsafe objects.withUnsafeMutableBufferPointer { room in
            unsafe id.lend { id, idCount in
                unsafe label.lend { label, labelCount in
                    unsafe jose_p11_find(
                        pointer, session, room.baseAddress, room.count, &count, kind.native, id,
                        idCount, label, labelCount)
                }
            }
        }
        guard status != .JOSE_P11_TOO_LONG else {
            throw .rejected("too many objects of the PKCS#11 token match")
        }
        try check(status)
        return Array(objects.prefix(count))
    }

    /// An attribute's bytes; nil where the object has none or hides it.
    func read(
        _ attribute: ObjectAttribute, of object: UInt64, in session: UInt64
    ) throws(PKCS11Error) -> [UInt8]? {
        var count = 0
        var status = jose_p11_status.JOSE_P11_OK
        // Safe: C says how many bytes it wrote, at most as many as there is room for.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: attribute.maxBytes) { room, used in
            unsafe room.initialize(repeating: 0)
            unsafe status = jose_p11_read(
                pointer, session, room.baseAddress, room.count, &count, object, attribute.native)
            used = status == .JOSE_P11_OK ? count : 0
        }
        guard status != .JOSE_P11_ABSENT else { return nil }
        try check(status)
        return bytes
    }

    /// The type of a key; nil for one that no JWK has.
    func keyType(of object: UInt64, in session: UInt64) throws(PKCS11Error) -> TokenKeyType? {
        var byte: UInt8 = 0
        var count = 0
        try check(
            unsafe jose_p11_read(
                pointer, session, &byte, 1, &count, object, .JOSE_P11_KEY_TYPE))
        switch jose_p11_key_type(rawValue: UInt32(byte)) {
        case .JOSE_P11_RSA: return .rsa
        case .JOSE_P11_EC: return .ec
        case .JOSE_P11_EDWARDS: return .edwards
        case .JOSE_P11_MONTGOMERY: return .montgomery
        default: return nil
        }
    }
}

/// The types of keys that a JWK has too.
enum TokenKeyType: Sendable {
    case rsa, ec, edwards, montgomery

    private var native: jose_p11_key_type {
        switch self {
        case .rsa: .JOSE_P11_RSA
        case .ec: .JOSE_P11_EC
        case .edwards: .JOSE_P11_EDWARDS
        case .montgomery: .JOSE_P11_MONTGOMERY
        }
    }

    /// Makes a pair in the token; `parameters` name a curve in DER.
    ///
    /// - Returns: The handles of the public and the private key.
    @discardableResult
    func makePair(
        _ module: PKCS11Module, in session: UInt64, rsaBits: Int, parameters: [UInt8],
        signs: Bool, id: [UInt8], label: [UInt8]
    ) throws(PKCS11Error) -> (publicKey: UInt64, privateKey: UInt64) {
        var made: [2 of UInt64] = [0, 0]
        try check(
            unsafe parameters.lend { params, paramsCount in
                unsafe id.lend { id, idCount in
                    unsafe label.lend { label, labelCount in
                        var pair = unsafe jose_p11_pair(
                            type: native, rsa_bits: rsaBits, params: params,
                            params_len: paramsCount, signs: signs, id: id, id_len: idCount,
                            label: label, label_len: labelCount)
                        var span = made.mutableSpan
                        return unsafe span.withUnsafeMutableBufferPointer { room in
                            unsafe jose_p11_make_pair(
                                module.pointer, session, room.baseAddress, &pair)
                        }
                    }
                }
            })
        return (made[0], made[1])
    }
}

extension PKCS11Module {
    /// Removes an object from the token for good.
    func destroy(_ object: UInt64, in session: UInt64) throws(PKCS11Error) {
        try check(unsafe jose_p11_destroy(pointer, session, object))
    }

    /// Puts a certificate into the token.
    func put(
        certificate: [UInt8], subject: [UInt8], id: [UInt8], label: [UInt8], in session: UInt64
    ) throws(PKCS11Error) {
        try check(
            unsafe certificate.lend { der, derCount in
                unsafe subject.lend { subject, subjectCount in
                    unsafe id.lend { id, idCount in
                        unsafe label.lend { label, labelCount in
                            unsafe jose_p11_put_certificate(
                                pointer, session, der, derCount, subject, subjectCount, id,
                                idCount, label, labelCount)
                        }
                    }
                }
            })
    }
}

extension SecretBytes? {
    /// Lends the secret; NULL for nil alone.
    func lend<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
        guard let secret = self else { return body(nil, 0) }
        return secret.withSpan { span in
            unsafe span.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
        }
    }
}
