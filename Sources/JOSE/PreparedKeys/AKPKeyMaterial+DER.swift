// ML-DSA keys in DER: SPKI and PKCS#8 (RFC 9881).

import JOSEBytes
package import JOSECrypto

extension AKPKeyMaterial {
    /// The tag of a seed without an expanded key (RFC 9881, 6). Keys are written in this format.
    private static let seedTag: UInt8 = 0x80

    /// Reads an ML-DSA-PrivateKey (RFC 9881, 6): a seed, or a seed and its expanded key. An
    /// expanded key alone throws `keyUnusable`, since a JWK needs the seed.
    static func read(
        privateKey bytes: Span<UInt8>, _ set: AKPParameterSet, pub: [UInt8]
    ) throws(JOSEError) -> AKPKeyMaterial {
        var reader = DERReader(0..<bytes.count)
        switch reader.tag(bytes) {
        case seedTag:
            let seed = SecretBytes(copying: bytes.extracting(try reader.next(seedTag, bytes)))
            try reader.finish()
            return try AKPKeyMaterial(set, pub: pub, seed: seed, expanded: Span())
        case DER.sequence:
            var both = DERReader(try reader.next(DER.sequence, bytes))
            try reader.finish()
            let seed = SecretBytes(
                copying: bytes.extracting(try both.next(DER.octetString, bytes)))
            let expanded = try both.next(DER.octetString, bytes)
            try both.finish()
            guard !expanded.isEmpty else { throw wrongSize }
            return try AKPKeyMaterial(
                set, pub: pub, seed: seed, expanded: bytes.extracting(expanded))
        case DER.octetString:
            throw .keyUnusable("found an expanded private key; expected its seed")
        default: throw .malformed(.key, "the private key has no format of its type (RFC 9881, 6)")
        }
    }

    /// SubjectPublicKeyInfo (RFC 9881, 4).
    package func publicDER() -> [UInt8] {
        let pub = self.pub
        return SubjectPublicKey.encoded(kind, byteCount: pub.count) { $0.append(copying: pub.span) }
    }

    /// PrivateKeyInfo v1 (RFC 5958, 2) with the seed.
    package func privateDER() throws(JOSEError) -> SecretBytes {
        let seed = try secretToWrite()
        return PrivateKeyInfo.encoded(kind, byteCount: DER.size(seed.count)) { out in
            DER.append(AKPKeyMaterial.seedTag, seed.count, to: &out)
            seed.withSpan { out.append(copying: $0) }
        }
    }
}
