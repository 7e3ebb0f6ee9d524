// Algorithm key pairs in DER: SPKI and PKCS#8 by RFC 9881, read and written by hand.

import JOSEBytes
package import JOSECrypto

extension AKPKeyMaterial {
    /// The seed alone, implicitly tagged (RFC 9881, 6): the form that is written.
    private static let seedTag: UInt8 = 0x80

    /// Reads an ML-DSA-PrivateKey (RFC 9881, 6): the seed, or both the seed and the expanded key, which must follow from it.
    ///
    /// Throws `keyUnusable` for an expanded key alone: a JWK holds the seed.
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
        default: throw .malformed(.key, "the private key is in no form that its type has")
        }
    }

    /// SubjectPublicKeyInfo (RFC 9881, 4).
    package func publicDER() -> [UInt8] {
        let pub = self.pub
        let algorithm = KeyAlgorithm.encoded(kind)
        let whole = algorithm.count + DER.size(1 + pub.count)
        return [UInt8](capacity: DER.size(whole)) { out in
            DER.append(DER.sequence, whole, to: &out)
            out.append(copying: algorithm.span)
            DER.append(DER.bitString, 1 + pub.count, to: &out)
            out.append(0)
            out.append(copying: pub.span)
        }
    }

    /// PrivateKeyInfo, version 0 (RFC 5958, 2), around the seed.
    package func privateDER() throws(JOSEError) -> SecretBytes {
        guard isPrivate else { throw .keyUnusable("the private part is not here") }
        let seed = try secretMember()
        let algorithm = KeyAlgorithm.encoded(kind)
        let inner = DER.size(seed.count)
        let whole = 3 + algorithm.count + DER.size(inner)
        return SecretBytes(count: DER.size(whole)) { out in
            DER.append(DER.sequence, whole, to: &out)
            out.append(copying: ([DER.integer, 1, 0] as [UInt8]).span)
            out.append(copying: algorithm.span)
            DER.append(DER.octetString, inner, to: &out)
            DER.append(AKPKeyMaterial.seedTag, seed.count, to: &out)
            seed.withSpan { out.append(copying: $0) }
        }
    }

    package func isKey(inSPKI bytes: Span<UInt8>) -> Bool {
        let own = publicDER()
        return equal(bytes, own.span)
    }
}
