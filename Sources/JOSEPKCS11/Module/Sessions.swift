// Calls of the module for sessions, the login, objects and key pairs.

internal import CJOSEPKCS11
internal import JOSECrypto

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

/// An attribute of an object. Booleans are one byte.
enum ObjectAttribute {
    case id, label, signs, decrypts, derives, alwaysAuthenticates, modulus, exponent, curve, point,
        value

    fileprivate var native: jose_p11_attribute {
        switch self {
        case .id: .JOSE_P11_ID
        case .label: .JOSE_P11_LABEL
        case .signs: .JOSE_P11_SIGNS
        case .decrypts: .JOSE_P11_DECRYPTS
        case .derives: .JOSE_P11_DERIVES
        case .alwaysAuthenticates: .JOSE_P11_ALWAYS_AUTHENTICATE
        case .modulus: .JOSE_P11_MODULUS
        case .exponent: .JOSE_P11_EXPONENT
        case .curve: .JOSE_P11_EC_PARAMS
        case .point: .JOSE_P11_EC_POINT
        case .value: .JOSE_P11_VALUE
        }
    }

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

    /// Logs in. Without a PIN, the device requests it.
    func login(_ session: UInt64, pin: SecretBytes?) throws(PKCS11Error) {
        try check(unsafe pin.borrow { unsafe jose_p11_login(pointer, session, $0, $1) })
    }

    /// The objects of a kind, with this id and label if given. Throws `rejected` for more than 255.
    func find(
        _ kind: ObjectKind, id: [UInt8]?, label: [UInt8]?, in session: UInt64
    ) throws(PKCS11Error) -> [UInt64] {
        var objects = [UInt64](repeating: 0, count: 255)
        var count = 0
        let status = unsafe objects.withUnsafeMutableBufferPointer { output in
            unsafe id.borrow { id, idCount in
                unsafe label.borrow { label, labelCount in
                    unsafe jose_p11_find(
                        pointer, session, output.baseAddress, output.count, &count, kind.native, id,
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

    /// Reads an attribute; nil if the object does not have it or hides it.
    func read(
        _ attribute: ObjectAttribute, of object: UInt64, in session: UInt64
    ) throws(PKCS11Error) -> [UInt8]? {
        var count = 0
        var status = jose_p11_status.JOSE_P11_OK
        // Safe: C writes at most `maxBytes` and returns how many.
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: attribute.maxBytes) {
            output, used in
            unsafe output.initialize(repeating: 0)
            unsafe status = jose_p11_read(
                pointer, session, output.baseAddress, output.count, &count, object, attribute.native
            )
            used = status == .JOSE_P11_OK ? count : 0
        }
        guard status != .JOSE_P11_ABSENT else { return nil }
        try check(status)
        return bytes
    }

    /// The type of a key; nil if JWK does not have it.
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

/// The supported key types of PKCS#11. Keys of the last two are `OKP` in JWK.
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

    /// Generates a key pair in the token; `parameters` name a curve in DER.
    @discardableResult
    func makePair(
        _ module: PKCS11Module, in session: UInt64, rsaBits: Int, parameters: [UInt8],
        signs: Bool, id: [UInt8], label: [UInt8]
    ) throws(PKCS11Error) -> (publicKey: UInt64, privateKey: UInt64) {
        var handles: [2 of UInt64] = [0, 0]
        try check(
            unsafe parameters.borrow { params, paramsCount in
                unsafe id.borrow { id, idCount in
                    unsafe label.borrow { label, labelCount in
                        var pair = unsafe jose_p11_pair(
                            type: native, rsa_bits: rsaBits, params: params,
                            params_len: paramsCount, signs: signs, id: id, id_len: idCount,
                            label: label, label_len: labelCount)
                        var span = handles.mutableSpan
                        return unsafe span.withUnsafeMutableBufferPointer { output in
                            unsafe jose_p11_make_pair(
                                module.pointer, session, output.baseAddress, &pair)
                        }
                    }
                }
            })
        return (handles[0], handles[1])
    }
}

extension PKCS11Module {
    func destroy(_ object: UInt64, in session: UInt64) throws(PKCS11Error) {
        try check(unsafe jose_p11_destroy(pointer, session, object))
    }

    func put(
        certificate: [UInt8], subject: [UInt8], id: [UInt8], label: [UInt8], in session: UInt64
    ) throws(PKCS11Error) {
        try check(
            unsafe certificate.borrow { der, derCount in
                unsafe subject.borrow { subject, subjectCount in
                    unsafe id.borrow { id, idCount in
                        unsafe label.borrow { label, labelCount in
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
    /// `body` gets NULL only for nil.
    func borrow<R>(_ body: (UnsafePointer<UInt8>?, Int) -> R) -> R {
        guard let secret = self else { return body(nil, 0) }
        return secret.withSpan { span in
            unsafe span.withUnsafeBufferPointer { unsafe body($0.baseAddress, $0.count) }
        }
    }
}
