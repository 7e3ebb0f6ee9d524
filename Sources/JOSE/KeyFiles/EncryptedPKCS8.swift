// Encrypts and decrypts PKCS#8 keys (RFC 5958, 3) with PBES2 (RFC 8018, 6.2).

import JOSEBytes
import JOSECrypto

enum EncryptedPKCS8 {
    /// The allowed iterations, as for PBES2 in tokens.
    static let iterations: ClosedRange<UInt32> = 1_000...1_000_000
    static let iterationsWritten: UInt32 = 600_000

    private static let legacy = ForeignFile.legacyPKCS8
    private static let wrongPassword = JOSEError(
        .decryptionFailed, .key, "the password is wrong or the key file is corrupt")

    /// Subtracts the cost of the key's iterations from `work`, the budget of the whole file. Throws
    /// `limitExceeded` if less is left, or there are more or fewer than `iterations` allows;
    /// `unsupported` for a legacy encryption; `decryptionFailed` for a wrong password.
    static func decrypt(
        _ bytes: Span<UInt8>, password: SecretBytes, work: inout PasswordWork
    ) throws(JOSEError) -> SecretBytes {
        try KeyDER.checkIsOneValue(bytes)
        var outer = DERReader(0..<bytes.count)
        var reader = DERReader(try outer.next(DER.sequence, bytes))
        let rule = try readRule(bytes, try reader.next(DER.sequence, bytes))
        let ciphertext = try reader.next(DER.octetString, bytes)
        try reader.finish()
        // CBC adds padding even to an empty text.
        guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else {
            throw .malformed(
                .key, "the encrypted key has {} bytes; expected a multiple of 16",
                .number(ciphertext.count))
        }
        guard work.spend(rule.hash, rule.iterations) else {
            throw .limitExceeded(
                .key,
                "the key file needs too many iterations in all (JOSELimits.keyFileIterations)")
        }
        do throws(CryptoError) {
            let key = try rule.decrypt(bytes.extracting(ciphertext), password: password)
            // Bad padding shows most wrong passwords, broken DER shows the rest.
            guard key.withSpan({ StrictDER.isOneValue($0) }) else { throw .rejected }
            return key
        } catch {
            throw JOSEError(error, ifRejected: wrongPassword)
        }
    }

    private static func readRule(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JOSEError) -> PBES2 {
        var reader = DERReader(range)
        guard
            OID.matches(
                bytes, try reader.next(DER.identifier, bytes), OID.pbes2)
        else { throw legacy }
        var rule = DERReader(try reader.next(DER.sequence, bytes))
        try reader.finish()
        var derivation = DERReader(try rule.next(DER.sequence, bytes))
        var cipher = DERReader(try rule.next(DER.sequence, bytes))
        try rule.finish()
        let function = try derivation.next(DER.identifier, bytes)
        guard OID.matches(bytes, function, OID.pbkdf2) else {
            throw OID.matches(bytes, function, OID.scrypt)
                ? ForeignFile.scrypt : legacy
        }
        var parameters = DERReader(try derivation.next(DER.sequence, bytes))
        try derivation.finish()

        let salt = try parameters.next(DER.octetString, bytes)
        let count = try parameters.small(bytes)
        guard iterations ~= count else {
            throw .limitExceeded(
                .key, "the key file has {} iterations; {} to {} are allowed",
                .number(Int(count)),
                .number(Int(iterations.lowerBound)), .number(Int(iterations.upperBound)))
        }
        let aes = try readCipher(bytes, &cipher)
        if parameters.tag(bytes) == DER.integer {
            guard try parameters.small(bytes) == UInt32(aes.keyBytes) else {
                throw .malformed(.key, "the key length of the key file does not match its cipher")
            }
        }
        // If the file names no PRF, it is HMAC-SHA-1 (RFC 8018, A.2).
        guard parameters.tag(bytes) == DER.sequence else { throw legacy }
        let hash = try readHash(bytes, try parameters.next(DER.sequence, bytes))
        try parameters.finish()
        return PBES2(
            hash: hash, iterations: count, keyBytes: aes.keyBytes, salt: salt.map { bytes[$0] },
            initializationVector: aes.vector.map { bytes[$0] })
    }

    private static func readHash(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JOSEError) -> HashAlgorithm {
        var reader = DERReader(range)
        let name = try reader.next(DER.identifier, bytes)
        _ = try reader.next(DER.null, bytes)
        try reader.finish()
        guard name.count == 8,
            OID.matches(bytes, name.dropLast(), OID.hmac)
        else { throw legacy }
        switch bytes[name.upperBound - 1] {
        case 9: return .sha256
        case 10: return .sha384
        case 11: return .sha512
        default: throw legacy
        }
    }

    private static func readCipher(
        _ bytes: Span<UInt8>, _ reader: inout DERReader
    ) throws(JOSEError) -> (keyBytes: Int, vector: Range<Int>) {
        let name = try reader.next(DER.identifier, bytes)
        guard name.count == 9,
            OID.matches(bytes, name.dropLast(), OID.aes)
        else { throw legacy }
        let keyBytes: Int
        switch bytes[name.upperBound - 1] {
        case 2: keyBytes = 16
        case 22: keyBytes = 24
        case 42: keyBytes = 32
        default: throw ForeignFile.otherCipher
        }
        let vector = try reader.next(DER.octetString, bytes)
        try reader.finish()
        guard vector.count == 16 else {
            throw .malformed(
                .key, "the initialization vector of the key file has {} bytes; expected 16",
                .number(vector.count))
        }
        return (keyBytes, vector)
    }

    /// Encrypts with AES-256-CBC and PBKDF2 (HMAC-SHA-256, 600,000 iterations).
    static func encrypt(_ key: SecretBytes, password: SecretBytes) throws(JOSEError) -> [UInt8] {
        do throws(CryptoError) {
            let rule = PBES2(
                hash: .sha256, iterations: iterationsWritten, keyBytes: 32,
                salt: try Random.bytes(16), initializationVector: try Random.bytes(16))
            let ciphertext = try key.withSpan { (key) throws(CryptoError) in
                try rule.encrypt(key, password: password)
            }
            return write(rule, ciphertext)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    private static func write(_ rule: PBES2, _ ciphertext: SecretBytes) -> [UInt8] {
        let null: [UInt8] = [DER.null, 0]
        let count = rule.iterations
        let iterations = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
            .drop { $0 == 0 }
        let hash = DER.value(
            DER.sequence, DER.value(DER.identifier, OID.hmac + [9]) + null)
        let parameters =
            DER.value(DER.octetString, rule.salt) + integer(Array(iterations)) + hash
        let derivation = DER.value(
            DER.sequence,
            DER.value(DER.identifier, OID.pbkdf2)
                + DER.value(DER.sequence, parameters))
        let cipher = DER.value(
            DER.sequence,
            DER.value(DER.identifier, OID.aes + [42])
                + DER.value(DER.octetString, rule.initializationVector))
        let algorithm = DER.value(
            DER.sequence,
            DER.value(DER.identifier, OID.pbes2)
                + DER.value(DER.sequence, derivation + cipher))
        let contents = DER.value(DER.octetString, ciphertext.withSpan { [UInt8](copying: $0) })
        return DER.value(DER.sequence, algorithm + contents)
    }

    private static func integer(_ number: [UInt8]) -> [UInt8] {
        [UInt8](capacity: DER.size(DER.numberSize(number.span))) { out in
            DER.append(number: number.span, to: &out)
        }
    }
}
