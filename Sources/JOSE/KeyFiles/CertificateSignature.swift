// How each kind of key signs certificates and requests: one row each.

import JOSEBytes
import JOSECrypto

/// The signature algorithm of a kind of key (RFC 4055, 5; RFC 5758, 3.2; RFC 8410, 3).
struct CertificateSignature {
    let kind: KeyKind
    /// The whole AlgorithmIdentifier.
    let identifier: [UInt8]
    /// The same algorithm by its name in JOSE.
    private let algorithm: StaticString

    private static let rows: [CertificateSignature] = [
        CertificateSignature(
            kind: .rsa,
            identifier: [
                0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05,
                0x00,
            ], algorithm: "RS256"),
        CertificateSignature(kind: .p256, identifier: ecdsa(0x02), algorithm: "ES256"),
        CertificateSignature(kind: .p384, identifier: ecdsa(0x03), algorithm: "ES384"),
        CertificateSignature(kind: .p521, identifier: ecdsa(0x04), algorithm: "ES512"),
        CertificateSignature(
            kind: .ed25519, identifier: KeyAlgorithm.curve(.ed25519).encoded, algorithm: "Ed25519"),
        CertificateSignature(
            kind: .ed448, identifier: KeyAlgorithm.curve(.ed448).encoded, algorithm: "Ed448"),
    ]

    /// ecdsa-with-SHA256, -384 and -512, without parameters.
    private static func ecdsa(_ last: UInt8) -> [UInt8] {
        [0x30, 0x0a, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, last]
    }

    /// The row of a key; throws `keyUnusable` for a kind that signs no certificates.
    init(_ key: JWK) throws(JOSEError) {
        let kind = key.prepared.material.kind
        guard let row = CertificateSignature.rows.first(where: { $0.kind == kind }) else {
            throw .keyUnusable("a key of this kind does not sign certificates")
        }
        self = row
    }

    private init(kind: KeyKind, identifier: [UInt8], algorithm: StaticString) {
        self.kind = kind
        self.identifier = identifier
        self.algorithm = algorithm
    }

    /// The signature as the contents of a BIT STRING, without the count of unused bits.
    func sign(_ body: [UInt8], by key: JWK) throws(JOSEError) -> [UInt8] {
        guard let row = SignatureAlgorithm.named(algorithm.description) else {
            throw .keyUnusable("a key of this kind does not sign certificates")
        }
        let operation = try key.prepared.signature(row, signing: true)
        var signature = [UInt8](repeating: 0, count: operation.signatureBytes)
        do throws(CryptoFault) {
            var span = signature.mutableSpan
            try operation.sign(body.span, into: &span)
        } catch {
            throw JOSEError(error, rejected: .internalFailure)
        }
        return key.keyType == .ec ? CertificateSignature.sequence(ofRaw: signature) : signature
    }

    /// Ecdsa-Sig-Value (RFC 5480, appendix A) of R and S, one behind the other.
    private static func sequence(ofRaw signature: [UInt8]) -> [UInt8] {
        let half = signature.count / 2
        let r = minimal(signature[..<half])
        let s = minimal(signature[half...])
        let count = DER.size(DER.numberSize(r.span)) + DER.size(DER.numberSize(s.span))
        return [UInt8](capacity: DER.size(count)) { out in
            DER.append(DER.sequence, count, to: &out)
            DER.append(number: r.span, to: &out)
            DER.append(number: s.span, to: &out)
        }
    }

    private static func minimal(_ number: ArraySlice<UInt8>) -> [UInt8] {
        Array(number.drop { $0 == 0 })
    }
}
