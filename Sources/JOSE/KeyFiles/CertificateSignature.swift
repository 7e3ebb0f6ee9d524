// How a key signs certificates and requests, by the row of its kind.

import JOSEBytes

/// The signature algorithm of a key's kind.
struct CertificateSignature {
    private let row: CertificateRow
    private let algorithm: SignatureAlgorithm
    /// The whole AlgorithmIdentifier.
    let identifier: [UInt8]

    /// Throws `keyUnusable` for a kind that signs no certificates.
    init(_ key: JWK) throws(JOSEError) {
        guard let row = KeyKindRow.row(key.prepared.material.kind)?.certificates,
            let algorithm = SignatureAlgorithm.rows.first(where: {
                $0.name.description == row.algorithm.description
            })
        else { throw CertificateSignature.noSigner }
        self.row = row
        self.algorithm = algorithm
        let name = DER.value(DER.identifier, DER.identifier(row.identifier))
        identifier = DER.value(
            DER.sequence, row.hasNull ? name + DER.value(DER.null, []) : name)
    }

    private static let noSigner = JOSEError.keyUnusable(
        "a key of this kind does not sign certificates")

    /// Throws `keyUnusable` where the key is held by who does not sign with it, as a key for encryption is; nobody asked for
    /// an algorithm, so none is named.
    func checkWhetherSigns(_ key: JWK) throws(JOSEError) {
        guard let held = key.prepared.held else { return }
        guard held.abilities.signatures.contains(algorithm) else {
            throw .keyUnusable(
                "the key may not sign, and its own request or certificate is signed by it")
        }
    }

    /// The signature as the contents of a BIT STRING, without the count of unused bits.
    func sign(_ body: [UInt8], by key: JWK) throws(JOSEError) -> [UInt8] {
        let signing = try key.prepared.signing(algorithm)
        var signature = [UInt8](repeating: 0, count: signing.signatureBytes)
        var span = signature.mutableSpan
        try signing.sign(body.span, into: &span)
        return row.isPair ? CertificateSignature.sequence(ofRaw: signature) : signature
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
