// The formats of key files, recognised by their outermost values.

import JOSEBytes

extension KeyFileContents {
    /// The format of a key file, or of one PEM block in it. The raw value is its name in warnings.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// A plain RSA private key (RFC 8017, A.1.2).
        case pkcs1Private = "PKCS#1 private key"
        /// A plain RSA public key (RFC 8017, A.1.1).
        case pkcs1Public = "PKCS#1 public key"
        /// A private key of any type (RFC 5958).
        case pkcs8 = "PKCS#8 private key"
        /// An encrypted private key (RFC 5958, 3).
        case encryptedPKCS8 = "encrypted PKCS#8 private key"
        /// A public key of any type (RFC 5280, 4.1).
        case spki = "SPKI public key"
        /// An X.509 certificate.
        case certificate = "X.509 certificate"
        /// Encrypted keys and certificates (RFC 7292).
        case pkcs12 = "PKCS#12 file"
        /// JSON: a JWK (RFC 7517, 4) or a JWK Set (5).
        case jwk = "JWK"
        /// A plain elliptic curve private key (SEC 1, C.4; RFC 5915).
        case ecPrivate = "SEC 1 elliptic curve private key"
        /// A revocation list (RFC 5280, 5).
        case revocationList = "X.509 revocation list"
        /// A set of certificates and revocation lists (RFC 2315, RFC 5652).
        case pkcs7 = "PKCS#7 file"
        /// A certificate request (RFC 2986), which is rejected.
        case request = "certificate request"
        /// A certificate of version 1, which is rejected.
        case oldCertificate = "X.509 certificate of version 1"

        static func recognised(_ bytes: Span<UInt8>) -> Format? {
            // PKCS#12 may be BER of indefinite length.
            if bytes.count > 8, bytes[0] == DER.sequence, bytes[1] == 0x80, bytes[2] == DER.integer,
                bytes[3] == 1, bytes[4] == 3
            {
                return .pkcs12
            }
            if PKCS7.isRecognised(bytes) { return .pkcs7 }
            // `Optional` only lets the guard bind `end`.
            guard let outer = StrictDER.element(bytes, at: 0, before: bytes.count),
                outer.tag == DER.sequence, let end = Optional(outer.contents.upperBound),
                let first = StrictDER.element(bytes, at: outer.contents.lowerBound, before: end),
                let second = StrictDER.element(bytes, at: first.contents.upperBound, before: end)
            else { return nil }
            switch (first.tag, second.tag) {
            case (DER.integer, DER.integer):
                return second.contents.upperBound == end ? .pkcs1Public : .pkcs1Private
            case (DER.integer, DER.octetString): return .ecPrivate
            case (DER.integer, DER.sequence):
                guard first.contents.count == 1 else { return nil }
                return bytes[first.contents.lowerBound] == 3 ? .pkcs12 : .pkcs8
            case (DER.sequence, DER.bitString): return .spki
            case (DER.sequence, DER.octetString): return .encryptedPKCS8
            case (DER.sequence, DER.sequence): return signedFormat(bytes, first.contents)
            default: return nil
            }
        }

        /// Certificates begin with their version in a tag. Revocation lists have a time after
        /// algorithm and issuer (RFC 5280, 4.1 and 5.1).
        private static func signedFormat(_ bytes: Span<UInt8>, _ body: Range<Int>) -> Format? {
            var tags: [UInt8] = []
            var at = body.lowerBound
            while tags.count < 4,
                let element = StrictDER.element(bytes, at: at, before: body.upperBound)
            {
                tags.append(element.tag)
                at = element.contents.upperBound
            }
            guard let first = tags.first else { return nil }
            guard first != 0xa0 else { return .certificate }
            let rest = tags.drop { $0 == DER.integer }
            guard rest.starts(with: [DER.sequence, DER.sequence]),
                let third = rest.dropFirst(2).first
            else { return .request }
            switch third {
            case DER.utcTime, DER.generalizedTime: return .revocationList
            // The validity of a certificate; a request has its attributes, [0], instead.
            case DER.sequence: return .oldCertificate
            default: return .request
            }
        }

        var label: String {
            switch self {
            case .pkcs1Private: "RSA PRIVATE KEY"
            case .pkcs1Public: "RSA PUBLIC KEY"
            case .pkcs8: "PRIVATE KEY"
            case .encryptedPKCS8: "ENCRYPTED PRIVATE KEY"
            case .spki: "PUBLIC KEY"
            case .certificate: "CERTIFICATE"
            case .ecPrivate: "EC PRIVATE KEY"
            case .revocationList: "X509 CRL"
            case .request: "CERTIFICATE REQUEST"
            case .pkcs7: "PKCS7"
            case .oldCertificate: "CERTIFICATE"
            case .pkcs12, .jwk: ""
            }
        }
    }
}

extension KeyFileContents.Format {
    /// The bytes must be exactly one value of this format.
    func read(_ bytes: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) -> any KeyMaterial {
        switch self {
        case .spki: return try KeyDER.read(publicKey: bytes, limits)
        case .pkcs8: return try KeyDER.read(privateKey: bytes, limits)
        case .pkcs1Private:
            try KeyDER.checkIsOneValue(bytes)
            return try RSAKeyMaterial.read(privateKey: bytes, limits)
        case .pkcs1Public:
            try KeyDER.checkIsOneValue(bytes)
            return try RSAKeyMaterial.read(publicKey: bytes, limits)
        case .ecPrivate:
            try KeyDER.checkIsOneValue(bytes)
            return try CurveKeyMaterial.read(sec1: bytes, curve: nil, point: nil)
        default: throw .misuse("this format has no key")
        }
    }
}
