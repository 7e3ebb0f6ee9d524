// RSA keys in DER: PKCS#1, alone or in PKCS#8 or SPKI.

import JOSEBytes
package import JOSECrypto

extension RSAKeyMaterial {
    /// Reads an RSAPublicKey (RFC 8017, A.1.1).
    static func read(
        publicKey bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> RSAKeyMaterial {
        let numbers = try publicNumbers(bytes, 0..<bytes.count)
        return try RSAKeyMaterial(
            modulus: numbers.modulus.map { bytes[$0] },
            exponent: numbers.exponent.map { bytes[$0] }, limits: limits)
    }

    private static func publicNumbers(
        _ bytes: Span<UInt8>, _ range: Range<Int>
    ) throws(JOSEError) -> (modulus: Range<Int>, exponent: Range<Int>) {
        var whole = DERReader(range)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        let modulus = try reader.number(bytes)
        let exponent = try reader.number(bytes)
        try reader.finish()
        return (modulus, exponent)
    }

    package func isKey(inSPKI bytes: Span<UInt8>) -> Bool {
        guard let info = try? SubjectPublicKey(bytes), info.algorithm.entry.kind == .rsa,
            let numbers = try? RSAKeyMaterial.publicNumbers(bytes, info.key)
        else { return false }
        let (modulus, exponent) = (self.modulus, self.exponent)
        return equal(modulus.span, bytes.extracting(numbers.modulus))
            && equal(exponent.span, bytes.extracting(numbers.exponent))
    }

    /// Reads an RSAPrivateKey (RFC 8017, A.1.2).
    static func read(
        privateKey bytes: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) -> RSAKeyMaterial {
        var whole = DERReader(0..<bytes.count)
        var reader = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        guard try reader.small(bytes) == 0 else {
            throw .keyUnusable("RSA keys of more than two primes are not supported")
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
        return try RSAKeyMaterial(
            modulus: modulus, exponent: exponent, d: d,
            crt: RSACRT(p: p, q: q, dp: dp, dq: dq, qi: qi), limits: limits)
    }

    private static func secret(
        _ reader: inout DERReader, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> SecretBytes {
        SecretBytes(copying: bytes.extracting(try reader.number(bytes)))
    }
}

extension RSAKeyMaterial {
    package func publicDER() -> [UInt8] {
        let (modulus, exponent) = (self.modulus, self.exponent)
        let numbers =
            DER.size(DER.numberSize(modulus.span)) + DER.size(DER.numberSize(exponent.span))
        return SubjectPublicKey.encoded(kind, byteCount: DER.size(numbers)) { out in
            DER.append(DER.sequence, numbers, to: &out)
            DER.append(number: modulus.span, to: &out)
            DER.append(number: exponent.span, to: &out)
        }
    }

    package func privateDER() throws(JOSEError) -> SecretBytes {
        try checkHasPrivatePart()
        let key = try native()
        let parts: [SecretBytes]
        do {
            parts = try RSAPrivatePart.allCases.map { (part) throws(CryptoError) in
                try key.rsaPrivateMember(part)
            }
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
        let (modulus, exponent) = (self.modulus, self.exponent)
        var numbers = 3
        numbers += DER.size(DER.numberSize(modulus.span))
        numbers += DER.size(DER.numberSize(exponent.span))
        for part in parts { numbers += part.withSpan { DER.size(DER.numberSize($0)) } }
        return PrivateKeyInfo.encoded(kind, byteCount: DER.size(numbers)) { out in
            DER.append(DER.sequence, numbers, to: &out)
            out.append(copying: ([DER.integer, 1, 0] as [UInt8]).span)
            DER.append(number: modulus.span, to: &out)
            DER.append(number: exponent.span, to: &out)
            for part in parts { part.withSpan { DER.append(number: $0, to: &out) } }
        }
    }
}
