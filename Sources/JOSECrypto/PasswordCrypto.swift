// Password-based encryption: PBES2 and PKCS#12 files.

internal import CJOSECrypto

/// The remaining budget for password derivations; each is subtracted before it is computed. The
/// unit is one iteration of PBKDF2 with HMAC-SHA-256; one with SHA-384 or SHA-512 counts twice.
package struct PasswordWork: Sendable {
    package fileprivate(set) var left: UInt64

    package init(_ iterations: Int) { left = UInt64(max(iterations, 0)) }

    /// Subtracts the cost of one derivation. Returns false, and subtracts nothing, if less is left.
    package mutating func spend(_ hash: HashAlgorithm, _ iterations: UInt32) -> Bool {
        unsafe jose_budget_spend(&left, hash.native, UInt64(iterations))
    }
}

/// PBES2 with PBKDF2, HMAC-SHA-2 and AES-CBC (RFC 8018, 6.2).
package struct PBES2: Sendable {
    package let hash: HashAlgorithm
    package let iterations: UInt32
    /// 16, 24 or 32: the size of the AES key.
    package let keyBytes: Int
    package let salt: [UInt8]
    /// 16 bytes.
    package let initializationVector: [UInt8]

    package init(
        hash: HashAlgorithm, iterations: UInt32, keyBytes: Int, salt: [UInt8],
        initializationVector: [UInt8]
    ) {
        self.hash = hash
        self.iterations = iterations
        self.keyBytes = keyBytes
        self.salt = salt
        self.initializationVector = initializationVector
    }

    /// Throws `rejected` for wrong padding. About one wrong password in 250 is not detected.
    package func decrypt(
        _ text: Span<UInt8>, password: SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try run(text, password, encrypting: false)
    }

    package func encrypt(
        _ text: Span<UInt8>, password: SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try run(text, password, encrypting: true)
    }

    private func run(
        _ text: Span<UInt8>, _ password: SecretBytes, encrypting: Bool
    ) throws(CryptoError) -> SecretBytes {
        guard initializationVector.count == 16 else { throw .failure }
        var size = 0
        let whole = try SecretBytes(count: text.count + 16) { (out) throws(CryptoError) in
            // Safe: C writes at most `count` bytes and keeps no pointer.
            let status = unsafe out.withUnsafeMutableBufferPointer { buffer, initialized in
                var count = buffer.count
                let status = unsafe call(text, password, encrypting, buffer.baseAddress, &count)
                if status == .JOSE_OK {
                    initialized = count
                    size = count
                }
                return status
            }
            try check(status)
        }
        return whole.withSpan { SecretBytes(copying: $0.extracting(0..<size)) }
    }

    private func call(
        _ text: Span<UInt8>, _ password: SecretBytes, _ encrypting: Bool, _ out: MutableBytes?,
        _ count: inout Int
    ) -> jose_status {
        let salt = self.salt
        let vector = initializationVector
        return unsafe salt.span.withPointer { salt, saltCount in
            unsafe vector.span.withPointer { vector, _ in
                var rule = unsafe jose_pbes2(
                    prf: hash.native, iterations: iterations, key_len: keyBytes, salt: salt,
                    salt_len: saltCount, iv: vector)
                return password.withSpan { password in
                    unsafe password.withPointer { password, passwordCount in
                        unsafe text.withPointer { text, textCount in
                            unsafe jose_pbes2_run(
                                &rule, encrypting, out, &count, text, textCount, password,
                                passwordCount)
                        }
                    }
                }
            }
        }
    }
}

package enum PKCS12Error: Error, Sendable {
    case malformed, legacy, scrypt, pbmac1, noMAC, notWithFIPS, iterations, password, tooMany,
        longPassword
    case failure
}

/// The keys and certificates of a PKCS#12 file whose MAC was verified (RFC 7292).
package struct PKCS12Contents: Sendable {
    /// PKCS#8, encrypted or not.
    package let keys: [SecretBytes]
    /// DER, in the file's order.
    package let certificates: [[UInt8]]
    /// In the order of `keys`.
    package let keyAttributes: [Attributes]
    /// In the order of `certificates`.
    package let certificateAttributes: [Attributes]
    /// The number of skipped bags: CRLs, secrets, nested bags.
    package let otherBagCount: Int

    /// The attributes of a bag (RFC 7292, 4.2).
    package struct Attributes: Sendable, Hashable {
        /// friendlyName in big-endian UTF-16; empty if it is absent or longer than 2,048 bytes.
        package let friendlyName: [UInt8]
        /// localKeyID; empty if it is absent or longer than 256 bytes.
        package let localKeyID: [UInt8]
    }

    /// - Parameters:
    ///   - password: At most 1,024 bytes; a longer one throws `longPassword`.
    ///   - maxIterations: The limit for one derivation. The MAC and each encrypted safe need one.
    ///   - work: The budget for all derivations together, from which each is subtracted.
    package init(
        _ der: Span<UInt8>, password: SecretBytes, maxIterations: UInt32,
        work: inout PasswordWork
    ) throws(PKCS12Error) {
        var file: OpaquePointer?
        var left = work.left
        let failure = unsafe der.withPointer { der, count in
            password.withSpan { password in
                unsafe password.withPointer { password, passwordCount in
                    unsafe jose_pkcs12_read(
                        &file, &left, maxIterations, der, count, password, passwordCount)
                }
            }
        }
        work.left = left
        if let failure = PKCS12Error(failure) { throw failure }
        guard let file = unsafe file else { throw .failure }
        let handle = unsafe Handle(file, release: jose_pkcs12_free)
        var keys: [SecretBytes] = []
        var certificates: [[UInt8]] = []
        var keyAttributes: [Attributes] = []
        var certificateAttributes: [Attributes] = []
        for index in 0..<(unsafe jose_pkcs12_count(handle.pointer)) {
            var count = 0
            var isKey = false
            // Safe: the bytes live as long as the handle, and are copied at once.
            let bytes = unsafe jose_pkcs12_item(handle.pointer, index, &count, &isKey)
            let buffer = unsafe UnsafeBufferPointer(start: bytes, count: count)
            // Safe: likewise.
            let found = unsafe jose_pkcs12_item_attributes(handle.pointer, index)
            let attributes = unsafe Attributes(
                friendlyName: [UInt8](
                    UnsafeBufferPointer(start: found.name, count: found.name_len)),
                localKeyID: [UInt8](
                    UnsafeBufferPointer(start: found.key_id, count: found.key_id_len)))
            if isKey {
                keys.append(unsafe SecretBytes(copying: buffer.span))
                keyAttributes.append(attributes)
            } else {
                certificates.append(unsafe [UInt8](buffer))
                certificateAttributes.append(attributes)
            }
        }
        self.keys = keys
        self.certificates = certificates
        self.keyAttributes = keyAttributes
        self.certificateAttributes = certificateAttributes
        otherBagCount = unsafe jose_pkcs12_other_count(handle.pointer)
    }
}

extension PKCS12Contents {
    /// Writes a file with one PKCS#8 key and certificates, the key's own first, with PBES2,
    /// HMAC-SHA-256 and AES-256-CBC. Throws `rejected` for an empty key, 0 iterations, 32 or more
    /// certificates, or a password that is not 1 to 1,024 bytes without NUL.
    package static func write(
        key: SecretBytes, certificates: [[UInt8]], name: String?, password: SecretBytes,
        iterations: UInt32
    ) throws(CryptoError) -> [UInt8] {
        var file: OpaquePointer?
        let status = key.withSpan { key in
            unsafe key.withPointer { key, keyCount in
                unsafe withPointers(certificates) { certificate, sizes in
                    unsafe withOptionalCString(name) { name in
                        var contents = unsafe jose_pkcs12_contents(
                            key: key, key_len: keyCount, certificates: certificate,
                            certificate_len: sizes, certificate_count: certificates.count,
                            name: name, iterations: iterations)
                        return password.withSpan { password in
                            unsafe password.withPointer { password, passwordCount in
                                unsafe jose_pkcs12_write(
                                    &file, &contents, password, passwordCount)
                            }
                        }
                    }
                }
            }
        }
        try check(status)
        guard let file = unsafe file else { throw .failure }
        let handle = unsafe Handle(file, release: jose_pkcs12_free)
        var count = 0
        var isKey = false
        // Safe: the bytes live as long as the handle, and are copied at once.
        let bytes = unsafe jose_pkcs12_item(handle.pointer, 0, &count, &isKey)
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: count))
    }

    private static func withOptionalCString<Result>(
        _ text: String?, _ body: (UnsafePointer<CChar>?) -> Result
    ) -> Result {
        guard let text else { return body(nil) }
        return unsafe text.withCString { unsafe body($0) }
    }
}

extension PKCS12Error {
    fileprivate init?(_ failure: jose_pkcs12_failure) {
        switch failure {
        case .JOSE_PKCS12_OK: return nil
        case .JOSE_PKCS12_MALFORMED: self = .malformed
        case .JOSE_PKCS12_LEGACY: self = .legacy
        case .JOSE_PKCS12_SCRYPT: self = .scrypt
        case .JOSE_PKCS12_PBMAC1: self = .pbmac1
        case .JOSE_PKCS12_NO_MAC: self = .noMAC
        case .JOSE_PKCS12_NO_FIPS: self = .notWithFIPS
        case .JOSE_PKCS12_ITERATIONS: self = .iterations
        case .JOSE_PKCS12_PASSWORD: self = .password
        case .JOSE_PKCS12_TOO_MANY: self = .tooMany
        case .JOSE_PKCS12_LONG_PASSWORD: self = .longPassword
        case .JOSE_PKCS12_INTERNAL: self = .failure
        }
    }
}
