// Signs certificates and certificate requests.

import JOSEBytes

struct CertificateSignature {
    private let entry: CertificateEntry
    private let algorithm: SignatureAlgorithm
    /// The AlgorithmIdentifier in DER.
    let identifier: [UInt8]

    init(_ key: JWK) throws(JOSEError) {
        guard let entry = KeyKindEntry.entry(key.prepared.material.kind)?.certificates,
            let algorithm = SignatureAlgorithm.entries.first(where: {
                $0.name.isExactly(entry.algorithm)
            })
        else { throw CertificateSignature.noSigner }
        self.entry = entry
        self.algorithm = algorithm
        let name = DER.value(DER.identifier, DER.identifier(entry.identifier))
        identifier = DER.value(
            DER.sequence, entry.hasNull ? name + DER.value(DER.null, []) : name)
    }

    private static let noSigner = JOSEError.keyUnusable(
        "a key of this kind does not sign certificates")

    /// Throws `keyUnusable` if an external key does not sign with the algorithm, such as a key for
    /// decryption. The error names no algorithm, since the caller chose none.
    func checkWhetherSigns(_ key: JWK) throws(JOSEError) {
        guard let externalKey = key.prepared.externalKey else { return }
        guard externalKey.capabilities.signatures.contains(algorithm) else {
            throw .keyUnusable(
                "the external key does not sign, but must sign its own request or certificate")
        }
    }

    /// The contents of the BIT STRING, without the count of unused bits.
    private func bits(_ signature: [UInt8]) -> [UInt8] {
        entry.isPair ? CertificateSignature.sequence(ofRaw: signature) : signature
    }

    struct Draft {
        private let body: [UInt8]
        private let signature: CertificateSignature
        private let key: SigningKey

        init(_ body: [UInt8], by key: JWK) throws(JOSEError) {
            self.body = body
            signature = try CertificateSignature(key)
            self.key = try key.prepared.signing(signature.algorithm)
        }

        func signed() throws(JOSEError) -> [UInt8] {
            finished(try key.signature(of: body.span))
        }

        nonisolated(nonsending) func signed(
            before end: ContinuousClock.Instant
        ) async throws(JOSEError) -> [UInt8] {
            finished(try await key.signature(of: body, before: end))
        }

        /// Appends the algorithm and the signature (RFC 5280, 4.1; RFC 2986, 4.2).
        private func finished(_ raw: [UInt8]) -> [UInt8] {
            let bits = DER.value(DER.bitString, [0] + signature.bits(raw))
            return DER.value(DER.sequence, body + signature.identifier + bits)
        }
    }

    /// Returns Ecdsa-Sig-Value (RFC 5480, appendix A) for R and S of equal size.
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
