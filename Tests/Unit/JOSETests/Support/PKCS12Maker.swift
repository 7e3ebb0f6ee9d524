// PKCS#12 files built by hand (RFC 7292), valid and invalid in every part.

import JOSECrypto
import Testing

/// A PKCS#12 file before it is encoded.
struct PKCS12Maker {
    static let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]
    static let pkcs5: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05]
    static let hmac: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02]
    static let pkcs7: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07]

    /// SignedData with certificates only, as in a `.p7b` file (RFC 2315, 9.1).
    static func certificatesOnly(_ certificates: [[UInt8]]) -> [UInt8] {
        let body =
            TestDER.integer([1]) + TestDER.tagged(0x31, [])
            + TestDER.sequence(TestDER.tagged(0x06, pkcs7 + [1]))
            + TestDER.tagged(0xa0, certificates.flatMap { $0 }) + TestDER.tagged(0x31, [])
        return TestDER.sequence(
            TestDER.tagged(0x06, pkcs7 + [2]) + TestDER.tagged(0xa0, TestDER.sequence(body)))
    }
    static let pkcs12: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x0c]
    static let sha2: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
    static let null: [UInt8] = [0x05, 0x00]

    var password: [UInt8] = Array("pass".utf8)
    /// The safes in the order of the file.
    var safes: [[UInt8]] = []
    var hash: HashAlgorithm? = .sha256
    /// The identifier of the MAC's hash, if it is not that of `hash`.
    var hashName: [UInt8]?
    /// The INTEGER of the MAC's iterations; nil for the default, which is 1.
    var iterations: [UInt8]? = [2]
    var damagesMAC = false
    /// The content that replaces the file's safes, in PKCS#7.
    var contents: [UInt8]?

    static func oid(_ bytes: [UInt8]) -> [UInt8] { TestDER.tagged(0x06, bytes) }

    // MARK: bags and safes

    static func bag(
        _ kind: UInt8, _ value: [UInt8], _ attributes: [[UInt8]] = []
    ) -> [UInt8] {
        let set = attributes.isEmpty ? [] : TestDER.tagged(0x31, attributes.flatMap { $0 })
        return TestDER.sequence(
            oid(pkcs12 + [0x0a, 0x01, kind]) + TestDER.tagged(0xa0, value) + set)
    }

    static func certificateBag(_ der: [UInt8], _ attributes: [[UInt8]] = []) -> [UInt8] {
        let name = oid([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x16, 0x01])
        return bag(
            3, TestDER.sequence(name + TestDER.tagged(0xa0, TestDER.tagged(0x04, der))),
            attributes)
    }

    /// An attribute of PKCS #9, by the last number of its identifier: 20 is friendlyName, 21
    /// localKeyID.
    static func attribute(_ last: UInt8, _ value: [UInt8]) -> [UInt8] {
        TestDER.sequence(
            oid([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, last])
                + TestDER.tagged(0x31, value))
    }

    /// friendlyName, a BMPString.
    static func name(_ text: String) -> [UInt8] {
        attribute(
            20,
            TestDER.tagged(
                0x1e, text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }))
    }

    static func keyID(_ bytes: [UInt8]) -> [UInt8] {
        attribute(21, TestDER.tagged(0x04, bytes))
    }

    /// A plain safe.
    static func plain(_ bags: [[UInt8]]) -> [UInt8] {
        data(TestDER.sequence(bags.flatMap { $0 }))
    }

    static func data(_ contents: [UInt8]) -> [UInt8] {
        TestDER.sequence(
            oid(pkcs7 + [1]) + TestDER.tagged(0xa0, TestDER.tagged(0x04, contents)))
    }

    /// The parameters of an encryption and its ciphertext.
    struct Encryption {
        var hash = HashAlgorithm.sha256
        var keyBytes = 32
        var iterations: UInt32 = 2
        var iterationBytes: [UInt8]?
        var outerName = PKCS12Maker.pkcs5 + [13]
        var derivationName = PKCS12Maker.pkcs5 + [12]
        /// Replaces the identifier of the hash, of the cipher, the parameters of PBKDF2, or all of
        /// them.
        var otherHash: [UInt8]?
        var otherCipher: [UInt8]?
        var otherInner: [UInt8]?
        var otherOuter: [UInt8]?

        private static let salt: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]
        private static let vector = [UInt8](repeating: 0x3c, count: 16)
        private static let hashes: [HashAlgorithm: UInt8] = [.sha256: 9, .sha384: 10, .sha512: 11]
        private static let ciphers: [Int: UInt8] = [16: 2, 24: 22, 32: 42]

        private var inner: [UInt8] {
            if let otherInner { return otherInner }
            let name = PKCS12Maker.oid(PKCS12Maker.hmac + [Self.hashes[hash] ?? 7])
            let prf = otherHash ?? TestDER.sequence(name + PKCS12Maker.null)
            let count = TestDER.integer(iterationBytes ?? [UInt8(iterations)])
            return TestDER.sequence(TestDER.tagged(0x04, Self.salt) + count + prf)
        }

        private var outer: [UInt8] {
            if let otherOuter { return otherOuter }
            let derivation = PKCS12Maker.oid(derivationName) + inner
            let name = otherCipher ?? PKCS12Maker.aes + [Self.ciphers[keyBytes] ?? 0]
            let cipher = PKCS12Maker.oid(name) + TestDER.tagged(0x04, Self.vector)
            return TestDER.sequence(TestDER.sequence(derivation) + TestDER.sequence(cipher))
        }

        var algorithm: [UInt8] { TestDER.sequence(PKCS12Maker.oid(outerName) + outer) }

        func encrypt(_ text: [UInt8], _ password: [UInt8]) throws -> [UInt8] {
            let rule = PBES2(
                hash: hash, iterations: iterations, keyBytes: keyBytes, salt: Self.salt,
                initializationVector: Self.vector)
            let secret = SecretBytes(copying: password.span)
            return try rule.encrypt(text.span, password: secret).copied
        }

        /// An encrypted PKCS#8 key, also the content of a key bag.
        func sealed(_ key: [UInt8], _ password: [UInt8]) throws -> [UInt8] {
            TestDER.sequence(algorithm + TestDER.tagged(0x04, try encrypt(key, password)))
        }
    }

    /// An encrypted safe.
    static func encrypted(
        _ bags: [[UInt8]], _ encryption: Encryption, _ password: [UInt8] = Array("pass".utf8),
        damage: Bool = false
    ) throws -> [UInt8] {
        var text = try encryption.encrypt(
            TestDER.sequence(bags.flatMap { $0 }), password)
        if damage { text.removeLast() }
        return safe(encryption.algorithm, text)
    }

    static func safe(_ algorithm: [UInt8], _ text: [UInt8]) -> [UInt8] {
        let contents = TestDER.sequence(
            oid(pkcs7 + [1]) + algorithm + TestDER.tagged(0x80, text))
        return TestDER.sequence(
            oid(pkcs7 + [6])
                + TestDER.tagged(0xa0, TestDER.sequence(TestDER.integer([0]) + contents)))
    }

    // MARK: the file

    func file() throws -> [UInt8] {
        try file(of: TestDER.sequence(safes.flatMap { $0 }))
    }

    /// A file with these bytes instead of its safes.
    func file(of contents: [UInt8]) throws -> [UInt8] {
        var body = TestDER.integer([3]) + (self.contents ?? Self.data(contents))
        if let hash {
            let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9]
            let place: [HashAlgorithm: UInt8] = [.sha256: 1, .sha384: 2, .sha512: 3]
            let name = Self.oid(hashName ?? Self.sha2 + [place[hash] ?? 0])
            var count = 1
            var iterationField: [UInt8] = []
            if let iterations {
                count = min(iterations.reduce(0) { $0 << 8 | Int($1) }, 1_000)
                iterationField = TestDER.integer(iterations)
            }
            let key = try Self.macKey(hash, password, salt, count)
            var code = try HMAC.code(hash, key: key.span, contents.span)
            if damagesMAC { code[code.count - 1] ^= 1 }
            let digest = TestDER.sequence(
                TestDER.sequence(name + Self.null) + TestDER.tagged(0x04, code))
            body += TestDER.sequence(digest + TestDER.tagged(0x04, salt) + iterationField)
        }
        return TestDER.sequence(body)
    }

    /// RFC 7292 B.2 for a MAC, for which one round suffices. The password is ASCII.
    static func macKey(
        _ hash: HashAlgorithm, _ password: [UInt8], _ salt: [UInt8], _ iterations: Int
    ) throws -> [UInt8] {
        let block = hash == .sha1 || hash == .sha256 ? 64 : 128
        func filled(_ bytes: [UInt8]) -> [UInt8] {
            (0..<((bytes.count + block - 1) / block * block)).map { bytes[$0 % bytes.count] }
        }
        let text: [UInt8] = password.flatMap { (byte: UInt8) -> [UInt8] in [0, byte] } + [0, 0]
        var key = [UInt8](repeating: 3, count: block) + filled(salt) + filled(text)
        for _ in 0..<iterations { key = try Hash.digest(hash, key.span) }
        return key
    }
}

extension PKCS12Contents {
    /// Reads a file without a limit on the total cost of its derivations.
    init(
        _ der: Span<UInt8>, password: SecretBytes, maxIterations: UInt32
    ) throws(PKCS12Error) {
        var work = PasswordWork(.max)
        try self.init(der, password: password, maxIterations: maxIterations, work: &work)
    }
}

extension SecretBytes {
    /// The bytes, for comparisons.
    var copied: [UInt8] { withSpan { span in span.indices.map { span[$0] } } }
}
