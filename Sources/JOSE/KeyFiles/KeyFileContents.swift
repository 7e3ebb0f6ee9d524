// Reading key files of any form: what was found, the keys, the certificates, the revocation lists.

import JOSEBytes
import JOSECrypto

/// The contents of a key file: PEM or DER of PKCS#1, PKCS#8, SEC 1, SPKI, certificates, revocation lists; PKCS#12; a JWK
/// or a JWK Set.
///
/// Nothing is trusted by being read. Plain forms are read without OpenSSL's decoder.
public struct KeyFileContents: Sendable {
    /// What was found, in order.
    public private(set) var forms: [KeyFileForm] = []
    /// The keys in order, without `kid` unless they were JWKs.
    public private(set) var keys: [JWK] = []
    /// DER certificates in the file's order.
    public private(set) var certificates: [[UInt8]] = []
    /// DER revocation lists in the file's order; a `TrustStore` judges which ones it takes.
    public private(set) var revocationLists: [[UInt8]] = []

    /// Reads a file by what is in it.
    ///
    /// - Parameters:
    ///   - bytes: The whole file; the caller wipes it where it holds a private key.
    ///   - password: For encrypted PKCS#8 and PKCS#12, in UTF-8; for PKCS#12 at most 1,024 bytes.
    ///   - limits: Bounds on size, chain, modulus, and on the iterations of the whole file.
    /// - Throws: `malformed`, `limitExceeded`, `keyUnusable` for another key type or an inconsistency, `unsupported`
    ///   for a legacy encryption, `misuse` for a missing password, `decryptionFailed` for a wrong one.
    ///
    /// A password costs what the file's iterations cost: up to a second for `JOSELimits.keyFileIterations` as they are,
    /// however many keys and safes the file has.
    public init(
        _ bytes: Span<UInt8>, password: [UInt8]? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard bytes.count <= limits.keySetBytes else {
            throw .limitExceeded(.key, "the key file is too large (JOSELimits.keySetBytes)")
        }
        let secret = password.map { SecretBytes(copying: $0.span) }
        var work = PasswordWork(limits.keyFileIterations)
        if KeyFileContents.firstCharacter(bytes) == UInt8(ascii: "{") {
            try readJSON(bytes, limits)
            return
        }
        guard !StrictDER.isFramed(bytes), PEM.isText(bytes) else {
            guard let form = KeyFileForm.recognised(bytes) else {
                throw .malformed(.key, "the file is no key file: neither PEM, DER, PKCS#12 nor JWK")
            }
            try readDER(form, bytes, secret, limits, &work)
            return
        }
        for block in try PEM.blocks(bytes, atMost: 32) {
            // The name of a curve, which OpenSSL writes before a SEC 1 key that names it too.
            if block.label == "EC PARAMETERS" { continue }
            try block.contents.withSpan { (der) throws(JOSEError) in
                let form = KeyFileForm.recognised(der)
                guard let form, KeyFileContents.agrees(block.label, form) else {
                    throw .malformed(.key, "a PEM block does not hold what its label says")
                }
                try readDER(form, der, secret, limits, &work)
            }
        }
    }

    /// Reads a file from its bytes; see `init(_:password:limits:)` over a span.
    public init(
        _ bytes: [UInt8], password: [UInt8]? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        try self.init(bytes.span, password: password, limits: limits)
    }

    /// The one key of the file, with the chain that belongs to it as `x5c`, leaf first.
    ///
    /// - Throws: `keyNotFound` unless there is one private key, or one key, or certificates alone; `keyUnusable` where
    ///   the certificates are not of this key or do not form one chain.
    public func key(limits: JOSELimits = .standard) throws(JOSEError) -> JWK {
        let secrets = keys.filter(\.isPrivate)
        let candidates = secrets.isEmpty ? keys : secrets
        guard candidates.count <= 1 else {
            throw .keyNotFound("the file holds more than one key")
        }
        guard let key = candidates.first else {
            guard let leaf = certificates.first else {
                throw .keyNotFound("the file holds no key")
            }
            return try JWK(certificates: [leaf], limits: limits)
                .certified(by: certificates, limits: limits)
        }
        guard !certificates.isEmpty else { return key }
        return try key.certified(by: certificates, limits: limits)
    }

    private mutating func readJSON(
        _ bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) {
        let isSet = try JSONText.scanned(bytes, limits, at: .keySet) { json, tree in
            var node = 1
            while node < tree[0].next {
                if JSON.equals(tree[node], "keys", in: json) { return true }
                node = tree[node + 1].next
            }
            return false
        }
        forms.append(.jwk)
        guard isSet else {
            keys.append(try JWK(json: bytes, limits: limits))
            return
        }
        let set = try JWKSet(json: bytes, limits: limits)
        guard set.skipped.isEmpty else {
            throw .keyUnusable("a key of the set cannot be used")
        }
        keys += set.keys
    }

    private mutating func readDER(
        _ form: KeyFileForm, _ bytes: Span<UInt8>, _ password: SecretBytes?, _ limits: JOSELimits,
        _ work: inout PasswordWork
    ) throws(JOSEError) {
        forms.append(form)
        switch form {
        case .pkcs1Private, .pkcs1Public, .pkcs8, .spki, .ecPrivate:
            keys.append(JWK(try form.read(bytes, limits)))
        case .encryptedPKCS8:
            guard let password else {
                throw .misuse("found an encrypted PKCS#8 key; expected a password with it")
            }
            let opened = try EncryptedPKCS8.open(bytes, password: password, work: &work)
            try opened.withSpan { (key) throws(JOSEError) in
                keys.append(JWK(try KeyFileForm.pkcs8.read(key, limits)))
            }
        case .certificate:
            guard StrictDER.isOneValue(bytes) else {
                throw .malformed(.certificate, "a certificate is not one DER value")
            }
            certificates.append(bytes.indices.map { bytes[$0] })
        case .pkcs12:
            guard let password else {
                throw .misuse("found a PKCS#12 file; expected a password with it")
            }
            try readPKCS12(bytes, password, limits, &work)
        case .revocationList:
            guard StrictDER.isOneValue(bytes) else {
                throw .malformed(.certificate, "a revocation list is not one DER value")
            }
            revocationLists.append(bytes.indices.map { bytes[$0] })
        case .request:
            throw .malformed(
                .key,
                "found a certificate request or an old certificate; expected a key or a certificate"
            )
        case .jwk: throw .misuse("a JWK is not DER")
        }
    }

    private mutating func readPKCS12(
        _ bytes: Span<UInt8>, _ password: SecretBytes, _ limits: JOSELimits,
        _ work: inout PasswordWork
    ) throws(JOSEError) {
        let contents: PKCS12Contents
        do {
            contents = try PKCS12Contents(
                bytes, password: password,
                mostIterations: EncryptedPKCS8.iterations.upperBound, work: &work)
        } catch {
            throw JOSEError(error)
        }
        for key in contents.keys {
            try key.withSpan { (der) throws(JOSEError) in
                let form = KeyFileForm.recognised(der)
                guard let form, form == .pkcs8 || form == .encryptedPKCS8 else {
                    throw .malformed(.key, "the PKCS#12 file holds a key in no known form")
                }
                try readDER(form, der, password, limits, &work)
            }
        }
        for certificate in contents.certificates {
            try readDER(.certificate, certificate.span, nil, limits, &work)
        }
    }

    private static func agrees(_ label: String, _ form: KeyFileForm) -> Bool {
        switch form {
        case .certificate: JOSEError.Input.Kind.certificate.labels.contains(label)
        case .request: label == form.label || label == "NEW CERTIFICATE REQUEST"
        case .pkcs12, .jwk: false
        default: label == form.label
        }
    }

    private static func firstCharacter(_ bytes: Span<UInt8>) -> UInt8? {
        for index in bytes.indices {
            switch bytes[index] {
            case 0x20, 0x0a, 0x0d, 0x09: continue
            case let byte: return byte
            }
        }
        return nil
    }
}

extension JOSEError {
    fileprivate init(_ fault: PKCS12Fault) {
        switch fault {
        case .malformed: self = .malformed(.key, "the PKCS#12 file is malformed")
        case .legacy:
            self = .unsupported(
                .key,
                "the PKCS#12 file uses legacy algorithms; expected PBES2 with AES and a SHA-2 MAC")
        case .noMAC: self = .malformed(.key, "the PKCS#12 file has no MAC")
        case .iterations:
            self = .limitExceeded(
                .key, "the PKCS#12 file asks for too many iterations (JOSELimits.keyFileIterations)"
            )
        case .password:
            self = JOSEError(
                .decryptionFailed, .key, "the password is wrong or the PKCS#12 file is damaged")
        case .tooMany: self = .limitExceeded(.key, "the PKCS#12 file holds too much")
        case .longPassword:
            self = .limitExceeded(
                .key, "the password for a PKCS#12 file is longer than 1,024 bytes")
        case .failure: self = .internalFailure
        }
    }
}
