// How a key signs certificates and requests, by the row of its kind.

import JOSEBytes

/// The signature algorithm of a key's kind.
struct CertificateSignature {
    private let row: CertificateEntry
    private let algorithm: SignatureAlgorithm
    /// The whole AlgorithmIdentifier.
    let identifier: [UInt8]

    /// Throws `keyUnusable` for a kind that signs no certificates.
    init(_ key: JWK) throws(JOSEError) {
        guard let row = KeyKindEntry.row(key.prepared.material.kind)?.certificates,
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
        guard held.capabilities.signatures.contains(algorithm) else {
            throw .keyUnusable(
                "the key may not sign, and its own request or certificate is signed by it")
        }
    }

    /// A signature as the contents of a BIT STRING, without the count of unused bits.
    private func bits(_ signature: [UInt8]) -> [UInt8] {
        row.isPair ? CertificateSignature.sequence(ofRaw: signature) : signature
    }

    /// A certificate, or a request for one, before it is signed.
    struct Draft {
        private let body: [UInt8]
        private let signature: CertificateSignature
        private let key: SigningKey

        init(_ body: [UInt8], by key: JWK) throws(JOSEError) {
            self.body = body
            signature = try CertificateSignature(key)
            self.key = try key.prepared.signing(signature.algorithm)
        }

        /// Signs with a key that is here.
        func signed() throws(JOSEError) -> [UInt8] {
            finished(try key.signature(of: body.span))
        }

        /// Signs with a key that may be external.
        nonisolated(nonsending) func signed(
            before end: ContinuousClock.Instant
        ) async throws(JOSEError) -> [UInt8] {
            finished(try await key.signature(of: body, before: end))
        }

        /// The body, the algorithm and the signature (RFC 5280, 4.1; RFC 2986, 4.2).
        private func finished(_ raw: [UInt8]) -> [UInt8] {
            let bits = DER.value(DER.bitString, [0] + signature.bits(raw))
            return DER.value(DER.sequence, body + signature.identifier + bits)
        }
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
