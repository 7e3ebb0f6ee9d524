// RSA keys in DER: PKCS#1, PKCS#8 and SPKI, read and written by hand.

import JOSEBytes
import JOSECrypto

extension RSAKeyMaterial {
    /// Reads a key of one of these forms; all of the bytes must be one DER value.
    ///
    /// Throws `malformed` for broken DER, `keyUnusable` for another key type, a size or an inconsistency.
    static func read(
        _ form: KeyFileForm, _ bytes: Span<UInt8>, _ limits: Limits
    ) throws(JOSEError) -> RSAKeyMaterial {
        guard StrictDER.isOneValue(bytes) else {
            throw .malformed(.key, "the key file is not one DER value")
        }
        var outer = DERReader(0..<bytes.count)
        let range = try outer.next(DER.sequence, bytes)
        switch form {
        case .pkcs1Private: return try readPrivate(bytes, range, limits)
        case .pkcs1Public: return try readPublic(bytes, range, limits)
        case .pkcs8:
            var reader = DERReader(range)
            let version = try reader.small(bytes)
            guard version <= 1 else {
                throw .malformed(.key, "the PKCS#8 key has an unknown version")
            }
            try readAlgorithm(bytes, try reader.next(DER.sequence, bytes))
            let inner = try reader.next(DER.octetString, bytes)
            // Attributes, and a public key where the version allows it, add nothing.
            if reader.tag(bytes) == 0xa0 { try reader.skip(bytes) }
            if version == 1, reader.tag(bytes) == 0x81 { try reader.skip(bytes) }
            try reader.finish()
            return try read(.pkcs1Private, bytes.extracting(inner), limits)
        case .spki:
            var reader = DERReader(range)
            try readAlgorithm(bytes, try reader.next(DER.sequence, bytes))
            let bits = try reader.next(DER.bitString, bytes)
            try reader.finish()
            guard bits.count > 1, bytes[bits.lowerBound] == 0 else {
                throw .malformed(.key, "the public key is not a whole number of bytes")
            }
            return try read(.pkcs1Public, bytes.extracting(bits.dropFirst()), limits)
        default: throw .misuse("this form holds no RSA numbers")
        }
    }

    /// rsaEncryption with NULL, and nothing else.
    private static func readAlgorithm(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JOSEError) {
        var reader = DERReader(range)
        let name = try reader.next(DER.identifier, bytes)
        if AlgorithmIdentifier.matches(bytes, name, AlgorithmIdentifier.elliptic) {
            throw .keyUnusable("found an elliptic curve key; expected an RSA key")
        }
        if AlgorithmIdentifier.matches(bytes, name, AlgorithmIdentifier.rsaPSS) {
            throw .keyUnusable("found an RSASSA-PSS key; expected a plain RSA key")
        }
        guard AlgorithmIdentifier.matches(bytes, name, AlgorithmIdentifier.rsa) else {
            throw .keyUnusable("found a key of another type; expected an RSA key")
        }
        _ = try reader.next(DER.null, bytes)
        try reader.finish()
    }

    private static func readPublic(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ limits: Limits
    ) throws(JOSEError) -> RSAKeyMaterial {
        var reader = DERReader(range)
        let modulus = try reader.number(bytes)
        let exponent = try reader.number(bytes)
        try reader.finish()
        return try RSAKeyMaterial(
            modulus: modulus.map { bytes[$0] }, exponent: exponent.map { bytes[$0] },
            limits: limits)
    }

    private static func readPrivate(
        _ bytes: Span<UInt8>, _ range: Range<Int>, _ limits: Limits
    ) throws(JOSEError) -> RSAKeyMaterial {
        var reader = DERReader(range)
        guard try reader.small(bytes) == 0 else {
            throw .keyUnusable("RSA keys of more than two primes are refused")
        }
        let modulus = bytes.extracting(try reader.number(bytes))
        let exponent = bytes.extracting(try reader.number(bytes))
        try checkShape(modulus: modulus, exponent: exponent, limits)
        let d = try secret(&reader, bytes)
        let p = try secret(&reader, bytes)
        let q = try secret(&reader, bytes)
        let dp = try secret(&reader, bytes)
        let dq = try secret(&reader, bytes)
        let qi = try secret(&reader, bytes)
        try reader.finish()
        do {
            let native = try NativeKey.rsaPrivate(
                modulus: modulus, exponent: exponent, privateExponent: d,
                crt: RSACRT(p: p, q: q, dp: dp, dq: dq, qi: qi),
                bits: limits.minimumRSABits...limits.maximumRSABits)
            return RSAKeyMaterial(native, limits: limits)
        } catch {
            throw JOSEError(error, rejected: .keyUnusable("the private RSA key is inconsistent"))
        }
    }

    private static func secret(
        _ reader: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> SecretBytes {
        SecretBytes(copying: bytes.extracting(try reader.number(bytes)))
    }
}

extension RSAKeyMaterial {
    private static let algorithm: [UInt8] =
        [0x30, 0x0d, 0x06, 0x09] + AlgorithmIdentifier.rsa + [0x05, 0x00]

    /// INTEGER 0.
    private static let zero: [UInt8] = [0x02, 0x01, 0x00]

    /// SubjectPublicKeyInfo.
    func publicDER() -> [UInt8] {
        let (modulus, exponent) = (self.modulus, self.exponent)
        let numbers =
            DER.size(DER.numberSize(modulus.span)) + DER.size(DER.numberSize(exponent.span))
        let bits = DER.size(numbers) + 1
        let whole = RSAKeyMaterial.algorithm.count + DER.size(bits)
        return [UInt8](capacity: DER.size(whole)) { out in
            DER.append(DER.sequence, whole, to: &out)
            out.append(copying: RSAKeyMaterial.algorithm.span)
            DER.append(DER.bitString, bits, to: &out)
            out.append(0)
            DER.append(DER.sequence, numbers, to: &out)
            DER.append(number: modulus.span, to: &out)
            DER.append(number: exponent.span, to: &out)
        }
    }

    /// PrivateKeyInfo, version 0.
    func privateDER() throws(JOSEError) -> SecretBytes {
        guard isPrivate else { throw .keyUnusable("the private part is not here") }
        let key = try native()
        let parts: [SecretBytes]
        do {
            parts = try RSAPrivatePart.allCases.map { (part) throws(CryptoFault) in
                try key.rsaPrivateMember(part)
            }
        } catch {
            throw JOSEError(error, rejected: .randomFailed)
        }
        let (modulus, exponent) = (self.modulus, self.exponent)
        var numbers = 3
        numbers += DER.size(DER.numberSize(modulus.span))
        numbers += DER.size(DER.numberSize(exponent.span))
        for part in parts { numbers += part.withSpan { DER.size(DER.numberSize($0)) } }
        let inner = DER.size(numbers)
        let whole = 3 + RSAKeyMaterial.algorithm.count + DER.size(inner)
        return SecretBytes(count: DER.size(whole)) { out in
            DER.append(DER.sequence, whole, to: &out)
            out.append(copying: RSAKeyMaterial.zero.span)
            out.append(copying: RSAKeyMaterial.algorithm.span)
            DER.append(DER.octetString, inner, to: &out)
            DER.append(DER.sequence, numbers, to: &out)
            out.append(copying: RSAKeyMaterial.zero.span)
            DER.append(number: modulus.span, to: &out)
            DER.append(number: exponent.span, to: &out)
            for part in parts { part.withSpan { DER.append(number: $0, to: &out) } }
        }
    }
}
