// RSA keys, and the checks that every RSA key must pass.

package import JOSEBytes
package import JOSECrypto

/// An RSA key (RFC 7518, 6.3).
package final class RSAKeyMaterial: KeyMaterial {
    package let modulus: [UInt8]
    package let exponent: [UInt8]
    package let isPrivate: Bool
    /// Whether the JWK of a public key had zero bytes before `n` or `e`. They were removed.
    package let hadLeadingZeros: Bool
    private let limits: JOSELimits
    private let nativeKey: LazyNativeKey

    package var kind: KeyKind { .rsa }
    package var keyType: KeyType { .rsa }
    package var sizeBits: Int {
        let modulus = self.modulus
        return RSAKeyMaterial.bitCount(modulus.span)
    }

    /// A public key from big-endian numbers. The costly checks run at its first use.
    package init(
        modulus: [UInt8], exponent: [UInt8], limits: JOSELimits, hadLeadingZeros: Bool = false
    ) throws(JOSEError) {
        try RSAKeyMaterial.checkShape(modulus: modulus.span, exponent: exponent.span, limits)
        self.modulus = modulus
        self.exponent = exponent
        self.limits = limits
        self.hadLeadingZeros = hadLeadingZeros
        isPrivate = false
        nativeKey = LazyNativeKey()
    }

    package init(_ key: NativeKey, limits: JOSELimits) {
        modulus = key.publicModulus()
        exponent = key.publicExponent()
        self.limits = limits
        hadLeadingZeros = false
        isPrivate = key.isPrivate
        nativeKey = LazyNativeKey(key)
    }

    /// Checks a private key completely. A nil `crt` is computed; with FIPS it is `unsupported`.
    convenience init(
        modulus: Span<UInt8>, exponent: Span<UInt8>, d: SecretBytes, crt: RSACRT?,
        limits: JOSELimits
    ) throws(JOSEError) {
        let key: NativeKey
        do {
            key = try NativeKey.rsaPrivate(
                modulus: modulus, exponent: exponent, privateExponent: d, crt: crt,
                bits: limits.rsaBits)
        } catch {
            throw JOSEError(error, ifRejected: .keyUnusable("the private RSA key is inconsistent"))
        }
        self.init(key, limits: limits)
    }

    package func native() throws(JOSEError) -> NativeKey {
        let (modulus, exponent) = (self.modulus, self.exponent)
        let rejected = JOSEError.keyUnusable("the modulus or exponent of the RSA key is unusable")
        return try nativeKey.get(rejected: rejected) { () throws(CryptoError) in
            try NativeKey.rsaPublic(
                modulus: modulus.span, exponent: exponent.span, bits: limits.rsaBits)
        }
    }

    package func writePublicMembers(to writer: inout JSONWriter) {
        let (modulus, exponent) = (self.modulus, self.exponent)
        writer.name("e")
        writer.string(base64URL: exponent.span)
        writer.name("kty")
        writer.string("RSA")
        writer.name("n")
        writer.string(base64URL: modulus.span)
    }

    package func writePrivateMembers(to writer: inout JSONWriter) throws(JOSEError) {
        guard isPrivate else { return }
        let key = try native()
        for (name, part) in RSAKeyMaterial.privateParts {
            do {
                let secret = try key.rsaPrivateMember(part)
                writer.name(name)
                secret.withSpan { writer.string(secretBase64URL: $0) }
            } catch {
                throw JOSEError(error, ifRejected: .internalFailure)
            }
        }
    }

    package func publicMaterial() throws(JOSEError) -> any KeyMaterial {
        isPrivate
            ? try RSAKeyMaterial(modulus: modulus, exponent: exponent, limits: limits) : self
    }

    package func hasSamePublicKey(as other: any KeyMaterial) -> Bool {
        guard let other = other as? RSAKeyMaterial else { return false }
        return modulus == other.modulus && exponent == other.exponent
    }

    private static let privateParts: [(StaticString, RSAPrivatePart)] = [
        ("d", .d), ("p", .p), ("q", .q), ("dp", .dp), ("dq", .dq), ("qi", .qi),
    ]
}

extension RSAKeyMaterial {
    /// Checks n and e without costly arithmetic (RFC 7518, 6.3.1).
    package static func checkShape(
        modulus: Span<UInt8>, exponent: Span<UInt8>, _ limits: JOSELimits
    ) throws(JOSEError) {
        try checkModulus(modulus, limits)
        try checkExponent(exponent)
    }

    @inline(__always)
    static func checkModulus(_ modulus: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) {
        guard isMinimal(modulus) else { throw notMinimal("n", modulus.isEmpty) }
        let bits = bitCount(modulus)
        guard bits >= limits.minRSABits else {
            throw .keyUnusable(
                "RSA modulus of {} bits; at least {} are required (JOSELimits.minRSABits)",
                .number(bits), .number(limits.minRSABits))
        }
        guard bits <= limits.maxRSABits else {
            throw .keyUnusable(
                "RSA modulus of {} bits; at most {} are allowed (JOSELimits.maxRSABits)",
                .number(bits), .number(limits.maxRSABits))
        }
        guard modulus[modulus.count - 1] & 1 == 1 else {
            throw .keyUnusable("the RSA modulus (n) is even")
        }
    }

    @inline(__always)
    static func checkExponent(_ exponent: Span<UInt8>) throws(JOSEError) {
        guard isMinimal(exponent) else { throw notMinimal("e", exponent.isEmpty) }
        guard exponent.count <= 4 else {
            throw .keyUnusable(
                "the RSA exponent (e) has {} bytes; at most 4 are allowed",
                .number(exponent.count))
        }
        var value: UInt32 = 0
        for index in exponent.indices { value = value << 8 | UInt32(exponent[index]) }
        guard value & 1 == 1, value >= 65_537 else {
            throw .keyUnusable(
                "the RSA exponent (e) is {}; it must be odd and at least 65,537",
                .number(Int(value)))
        }
    }

    private static func notMinimal(_ name: StaticString, _ isEmpty: Bool) -> JOSEError {
        isEmpty
            ? .malformed(.key, "{} is empty", .name(name))
            : .malformed(.key, "{} has leading zero bytes", .name(name))
    }

    /// The number of leading zero bytes; the last byte never counts.
    static func leadingZeros(_ number: Span<UInt8>) -> Int {
        var count = 0
        while count + 1 < number.count, number[count] == 0 { count += 1 }
        return count
    }

    /// Whether a number has no leading zero byte; zero itself is one zero byte (RFC 7518, 2).
    private static func isMinimal(_ number: Span<UInt8>) -> Bool {
        number.count == 1 || (number.count > 1 && number[0] != 0)
    }

    private static func bitCount(_ number: Span<UInt8>) -> Int {
        number.isEmpty ? 0 : number.count * 8 - number[0].leadingZeroBitCount
    }
}
