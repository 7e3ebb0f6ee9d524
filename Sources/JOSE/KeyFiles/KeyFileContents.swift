// Reads key files of any format: keys, certificates, revocation lists.

import JOSEBytes
import JOSECrypto

/// The contents of a key file: PEM or DER of PKCS#1, PKCS#8, SEC 1, SPKI, certificates, revocation
/// lists, PKCS#7; PKCS#12; a JWK or a JWK Set; base64 of one of these.
///
/// Reading does not make anything trusted. Unencrypted formats are read without OpenSSL's decoder.
/// PEM may be indented, in quotation marks, on one line, after a byte order mark, or have the two
/// characters `\n` for each line break. A block is read with a warning if its label names another
/// kind of key or certificate, and left out if the label names no kind. For an unsupported format
/// the error has the command that converts it, if there is one.
public struct KeyFileContents: Sendable {
    /// The formats that were found, in order.
    public private(set) var formats: [Format] = []
    /// The keys in order, without `kid` unless they are JWKs. `entries(limits:)` returns each key
    /// with its certificates and name.
    public private(set) var keys: [JWK] = []
    /// DER certificates in the order of the file. Those of PKCS#7, which is a set, are leaf first
    /// if they form one chain.
    public private(set) var certificates: [[UInt8]] = []
    /// DER revocation lists in the order of the file, not validated; a `TrustStore` checks them.
    public private(set) var revocationLists: [[UInt8]] = []
    /// Parts that were left out, or read despite a defect.
    public internal(set) var warnings: [Warning] = []

    /// The attributes of keys and certificates in PKCS#12, by index; empty for other files.
    private var keyAttributes: [Int: Attributes] = [:]
    private var certificateAttributes: [Int: Attributes] = [:]
    /// The errors of the first part that was left out, and of the first key that was left out.
    private var leftOut: JOSEError?
    private var leftOutKey: JOSEError?

    struct Attributes: Sendable {
        var name: String?
        var localKeyID: [UInt8] = []
    }

    /// The maximum number of PEM blocks, and of certificates and lists when PKCS#7 is read.
    private static let maxBlocksOrCertificates = 32

    /// Reads a file, whose format is recognised by its contents.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; wipe it yourself if it has a private key.
    ///   - password: The password of encrypted PKCS#8 and PKCS#12, in UTF-8; for PKCS#12 at most
    ///     1,024 bytes.
    ///   - limits: Limits on size, chain, modulus, and on the iterations of the whole file.
    /// - Throws: `malformed`, `limitExceeded`, `keyUnusable` for an unsupported key type or
    ///   inconsistent numbers, `unsupported` for a legacy encryption or a file of another program,
    ///   `misuse` for a missing password, `decryptionFailed` for a wrong one.
    ///
    /// More than 32 PEM blocks are `limitExceeded`. So is PKCS#7 if the file then has more than 32
    /// certificates and revocation lists. An unusable key or certificate is left out, with a
    /// warning. If keys were left out and none remains, the error of the first one is thrown.
    /// Otherwise, if nothing remains, the first error is thrown. A JWK Set with an unusable entry
    /// is rejected. Decrypting costs the iterations that the file demands, within
    /// `JOSELimits.keyFileIterations` (by default about a second).
    public init(
        _ bytes: Span<UInt8>, password: [UInt8]? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard bytes.count <= limits.keySetBytes else {
            throw .limitExceeded(
                .key, "the key file has {} bytes; at most {} are allowed (JOSELimits.keySetBytes)",
                .number(bytes.count), .number(limits.keySetBytes))
        }
        let secret = password.map { SecretBytes(copying: $0.span) }
        var work = PasswordWork(limits.keyFileIterations)
        try read(bytes, secret, limits, &work, allowsBase64: true)
        // Readable certificates do not replace the keys that were left out.
        if let leftOutKey, keys.isEmpty { throw leftOutKey }
        if let leftOut, keys.isEmpty, certificates.isEmpty, revocationLists.isEmpty {
            throw leftOut
        }
    }

    private mutating func read(
        _ bytes: Span<UInt8>, _ password: SecretBytes?, _ limits: JOSELimits,
        _ work: inout PasswordWork, allowsBase64: Bool
    ) throws(JOSEError) {
        let start = ForeignFile.startOfText(bytes)
        guard !ForeignFile.isWide(bytes) else { throw ForeignFile.wideText }
        if start < bytes.count,
            bytes[start] == UInt8(ascii: "{") || bytes[start] == UInt8(ascii: "[")
        {
            try readJSON(bytes.extracting(start..<bytes.count), limits)
        } else if StrictDER.isFramed(bytes), let format = Format.recognised(bytes) {
            try readDER(format, bytes, password, limits, &work)
        } else if PEM.isText(bytes) {
            try readPEM(bytes, password, limits, &work)
        } else if let format = Format.recognised(bytes) {
            try readDER(format, bytes, password, limits, &work)
        } else if let error = ForeignFile.error(bytes) {
            throw error
        } else if allowsBase64, let decoded = Base64File.decoded(bytes) {
            try decoded.withSpan { (bytes) throws(JOSEError) in
                try read(bytes, password, limits, &work, allowsBase64: false)
            }
        } else if PEM.mentionsBlock(bytes) {
            throw .malformed(
                .key, "-----BEGIN is not at the start of a line: remove the text before it")
        } else {
            throw .malformed(
                .key,
                """
                the file is not a key file: expected PEM, DER, PKCS#7, PKCS#12, JWK or base64 of \
                one of these
                """
            )
        }
    }

    private mutating func readPEM(
        _ bytes: Span<UInt8>, _ password: SecretBytes?, _ limits: JOSELimits,
        _ work: inout PasswordWork
    ) throws(JOSEError) {
        var reader = PEMReader()
        var position = 0
        while let item = try reader.nextItem(bytes) {
            guard position < KeyFileContents.maxBlocksOrCertificates else {
                throw PEM.tooManyBlocks(KeyFileContents.maxBlocksOrCertificates)
            }
            do throws(JOSEError) {
                try read(try item.contents.get(), item.label, position, password, limits, &work)
            } catch {
                try leaveOut(error, position, isKey: item.label.ends(with: "KEY"))
            }
            position += 1
        }
    }

    private mutating func read(
        _ contents: SecretBytes, _ label: String, _ position: Int, _ password: SecretBytes?,
        _ limits: JOSELimits, _ work: inout PasswordWork
    ) throws(JOSEError) {
        // The name of a curve, which OpenSSL writes before a SEC 1 key that also has it.
        if label.isExactly("EC PARAMETERS") { return }
        try contents.withSpan { (der) throws(JOSEError) in
            let format = Format.recognised(der)
            if let format, KeyFileContents.agrees(label, format) {
                return try readDER(format, der, password, limits, &work)
            }
            guard KeyFileContents.namesKeyOrCertificate(label) else {
                throw .malformed(
                    .key, "a PEM block has a label that names no key and no certificate")
            }
            guard let format else {
                throw .malformed(.key, "a PEM block has no key and no certificate")
            }
            try readDER(format, der, password, limits, &work)
            warnings.append(
                Warning(
                    "the label of the PEM block does not match its contents: found "
                        + format.rawValue,
                    at: position, isOmission: false))
        }
    }

    /// Records a part that cannot be used. Rethrows an error that concerns the whole file or call.
    mutating func leaveOut(
        _ error: JOSEError, _ position: Int, isKey: Bool
    ) throws(JOSEError) {
        guard KeyFileContents.skips(error.code) else { throw error }
        leftOut = leftOut ?? error
        if isKey { leftOutKey = leftOutKey ?? error }
        warnings.append(
            Warning("left out: \(error.reason)", at: position, isOmission: true))
    }

    static func skips(_ code: JOSEError.Code) -> Bool {
        [.malformed, .unsupported, .keyUnusable, .decryptionFailed].contains(code)
    }

    /// Reads a file from its bytes; see `init(_:password:limits:)` over a span.
    public init(
        _ bytes: [UInt8], password: [UInt8]? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(bytes.span, password: password, limits: limits)
    }

    /// Returns the one key of the file, with its chain as `x5c`, leaf first.
    ///
    /// - Throws: `keyNotFound` unless there is one private key, or one key, or certificates alone;
    ///   `keyUnusable` if the certificates are not of this key or do not form one chain;
    ///   `limitExceeded` for too many certificates; the reason if a key was left out.
    public func key(limits: JOSELimits = .standard) throws(JOSEError) -> JWK {
        if let leftOutKey { throw leftOutKey }
        if keys.count == 1, certificates.isEmpty { return keys[0] }
        guard let key = try onlyKey() else { return try certifiedKey(limits) }
        guard !certificates.isEmpty else { return key }
        return try key.withCertificates(certificates, limits: limits)
    }

    /// Returns the one key, or the one private key among several; nil if there is none.
    private func onlyKey() throws(JOSEError) -> JWK? {
        if keys.count <= 1 { return keys.first }
        let secrets = keys.filter(\.isPrivate)
        guard secrets.count == 1 else {
            throw .keyNotFound(
                "the file has {} keys; expected one (`KeyFileContents.entries` returns them all)",
                .number(secrets.isEmpty ? keys.count : secrets.count))
        }
        return secrets.first
    }

    /// Returns the public key of the one certificate that issued no other.
    private func certifiedKey(_ limits: JOSELimits) throws(JOSEError) -> JWK {
        guard certificates.count <= limits.chainCount else {
            throw .limitExceeded(
                .certificate,
                "the file has {} certificates; a chain has at most {} (JOSELimits.chainCount)",
                .number(certificates.count), .number(limits.chainCount))
        }
        var pool = try CertificatePool(certificates)
        if let failure = pool.firstFailure { throw failure }
        let leaves = try pool.leaves()
        guard let leaf = leaves.first else { throw .keyNotFound("the file has no key") }
        guard leaves.count == 1 else {
            throw .keyUnusable(
                """
                certificates {} and {} are both leaves: remove the wrong one, or use \
                `KeyFileContents.entries`
                """, .number(leaf + 1), .number(leaves[1] + 1))
        }
        return try JWK(certificates: [certificates[leaf]], limits: limits)
            .withCertificates(certificates, limits: limits)
    }

    private mutating func readJSON(
        _ bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) {
        guard bytes[0] == UInt8(ascii: "{") else {
            // The reader of sets explains what is wrong with an array.
            keys += try JWKSet(json: bytes, limits: limits).keys
            return
        }
        let kind = try JWKDocument.read(bytes, limits, at: .keySet, duplicates: .marked) {
            (json, tree) -> JSONKind in
            var kind = JSONKind.key
            var node = 1
            while node < tree[0].next {
                if JSON.equals(tree[node], "keys", in: json) { return .set }
                if JSON.equals(tree[node], "kty", in: json) { return .key }
                if JSON.equals(tree[node], "private_key", in: json) { kind = .serviceAccount }
                node = tree[node + 1].next
            }
            return kind
        }
        switch kind {
        case .serviceAccount: throw ForeignFile.serviceAccount
        case .key:
            formats.append(.jwk)
            keys.append(try JWK(json: bytes, limits: limits))
        case .set:
            formats.append(.jwk)
            let set = try JWKSet(json: bytes, limits: limits)
            if let skipped = set.skipped.first {
                throw (skipped.tokenError ?? .keyUnusable("the key cannot be used"))
                    .of(JOSEError.Input(.key, skipped.index))
            }
            keys += set.keys
        }
    }

    private enum JSONKind { case key, set, serviceAccount }

    private mutating func append(_ material: any KeyMaterial, _ attributes: Attributes?) {
        keyAttributes[keys.count] = attributes
        keys.append(JWK(material))
    }

    private mutating func append(certificate: [UInt8], _ attributes: Attributes? = nil) {
        certificateAttributes[certificates.count] = attributes
        certificates.append(certificate)
    }

    func attributes(ofKey index: Int) -> Attributes { keyAttributes[index] ?? Attributes() }

    func attributes(ofCertificate index: Int) -> Attributes {
        certificateAttributes[index] ?? Attributes()
    }

    mutating func readDER(
        _ format: Format, _ bytes: Span<UInt8>, _ password: SecretBytes?,
        _ limits: JOSELimits,
        _ work: inout PasswordWork, _ attributes: Attributes? = nil
    ) throws(JOSEError) {
        switch format {
        case .pkcs1Private, .pkcs1Public, .pkcs8, .spki, .ecPrivate:
            append(try format.read(bytes, limits), attributes)
        case .encryptedPKCS8:
            guard let password else {
                throw .misuse("the PKCS#8 key is encrypted: pass its password")
            }
            let opened = try EncryptedPKCS8.decrypt(bytes, password: password, work: &work)
            try opened.withSpan { (key) throws(JOSEError) in
                append(try Format.pkcs8.read(key, limits), attributes)
            }
        case .certificate:
            guard StrictDER.isOneValue(bytes) else {
                throw .malformed(.certificate, "a certificate is not one DER value")
            }
            append(certificate: [UInt8](copying: bytes), attributes)
        case .pkcs12:
            guard let password else {
                throw .misuse("the PKCS#12 file is encrypted: pass its password")
            }
            formats.append(format)
            try readPKCS12(bytes, password, limits, &work)
            return
        case .pkcs7: try readPKCS7(bytes)
        case .revocationList:
            guard StrictDER.isOneValue(bytes) else {
                throw .malformed(.certificate, "a revocation list is not one DER value")
            }
            revocationLists.append([UInt8](copying: bytes))
        case .request: throw ForeignFile.request
        case .oldCertificate: throw ForeignFile.oldCertificate
        case .jwk: throw .misuse("a JWK is not DER")
        }
        formats.append(format)
    }

    private mutating func readPKCS7(_ bytes: Span<UInt8>) throws(JOSEError) {
        let contents = try PKCS7(
            bytes, atMost: KeyFileContents.maxBlocksOrCertificates,
            existing: certificates.count + revocationLists.count)
        guard !contents.certificates.isEmpty || !contents.revocationLists.isEmpty else {
            throw .malformed(.certificate, "the PKCS#7 file has no certificate")
        }
        for certificate in try CertificateOrder.leafFirst(contents.certificates) {
            append(certificate: certificate)
        }
        revocationLists += contents.revocationLists
        guard contents.otherCount > 0 else { return }
        warnings.append(
            Warning(
                "\(contents.otherCount) certificates or lists of other kinds were left out",
                isOmission: true))
    }

    private static func agrees(_ label: String, _ format: Format) -> Bool {
        switch format {
        case .certificate: JOSEError.Input.Kind.certificate.hasLabel(label)
        case .pkcs7: PKCS7.hasLabel(label)
        case .pkcs12, .jwk: false
        default: label.isExactly(format.label)
        }
    }

    /// Whether a label names any kind of key or certificate. A block with another label is left
    /// out: DH parameters are two INTEGERs, as a PKCS#1 public key is.
    private static func namesKeyOrCertificate(_ label: String) -> Bool {
        let endings = ["PRIVATE KEY", "PUBLIC KEY", "CERTIFICATE", "CERTIFICATE REQUEST"]
        return endings.contains { label.ends(with: $0) } || PKCS7.hasLabel(label)
            || label.isExactly(Format.revocationList.label)
            || label.isExactly("PKCS12")
    }
}
