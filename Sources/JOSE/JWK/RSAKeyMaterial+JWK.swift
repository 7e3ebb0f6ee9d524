// RSA keys from the members of a JWK.

package import JOSEBytes
import JOSECrypto

extension RSAKeyMaterial {
    /// Reads the RSA members (RFC 7518, 6.3); the CRT members stand all together or not at all.
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) -> RSAKeyMaterial {
        guard let n = try JWKFields.bytes(.n, members, text, tree),
            let e = try JWKFields.bytes(.e, members, text, tree)
        else { throw .malformed(.key, "an RSA key has no n or e") }
        try checkShape(modulus: n.span, exponent: e.span, limits)
        guard members[.oth] == nil else {
            throw .keyUnusable("RSA keys of more than two primes are refused")
        }
        guard members.hasSecret else {
            return try RSAKeyMaterial(modulus: n, exponent: e, limits: limits)
        }
        let d = try JWKFields.secret(.d, members, text, tree)
        let p = try JWKFields.secret(.p, members, text, tree)
        let q = try JWKFields.secret(.q, members, text, tree)
        let dp = try JWKFields.secret(.dp, members, text, tree)
        let dq = try JWKFields.secret(.dq, members, text, tree)
        let qi = try JWKFields.secret(.qi, members, text, tree)
        let present = [p, q, dp, dq, qi].filter { $0 != nil }.count
        guard let d else {
            guard present == 0 else { throw .keyUnusable("CRT members without d") }
            return try RSAKeyMaterial(modulus: n, exponent: e, limits: limits)
        }
        var crt: RSACRT?
        if let p, let q, let dp, let dq, let qi {
            crt = RSACRT(p: p, q: q, dp: dp, dq: dq, qi: qi)
        } else if present != 0 {
            throw .keyUnusable("some CRT members are missing")
        }
        do {
            let native = try NativeKey.rsaPrivate(
                modulus: n.span, exponent: e.span, privateExponent: d, crt: crt,
                bits: limits.rsaBits)
            return RSAKeyMaterial(native, limits: limits)
        } catch {
            throw JOSEError(error, rejected: .keyUnusable("the private RSA key is inconsistent"))
        }
    }
}

/// The work that one key set may cause with RSA private keys that lack their primes (RFC 7518,
/// 6.3.2: only `d` must be there).
///
/// Computing them takes some powers modulo n, which cost the cube of its size: 5 ms for 2,048 bits,
/// 0.3 s for 8,192.
struct RSAFactoringBudget {
    /// 256 keys of 2,048 bits, in cubes of 32 bytes.
    private var left = 256 * 8 * 8 * 8

    /// Takes the work of one entry, if it has `d` and no `p`; throws `keyUnusable` where none is
    /// left.
    mutating func spend(
        on object: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        guard tree[object].kind == .object else { return }
        let members = JWKMembers(of: object, in: text, tree)
        guard members[.d] != nil, members[.p] == nil, let n = members[.n] else { return }
        // Characters of base64url; a modulus beyond every limit costs nothing.
        let size = min((tree[n].end - tree[n].start) * 3 / 4, 2_048) / 32
        let cost = size * size * size
        guard cost <= left else {
            left = 0
            throw .keyUnusable(
                "too many RSA private keys of the set lack p and q: add p, q, dp, dq and qi")
        }
        left -= cost
    }
}

extension RSAKeyMaterial {
    /// `checkShape` over the members of a JWK, without keeping the numbers.
    static func checkShape(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(JOSEError) {
        guard let n = try JWKFields.base64URLRange(.n, members, tree),
            let e = try JWKFields.base64URLRange(.e, members, tree)
        else { throw .malformed(.key, "an RSA key has no n or e") }
        let fault = JOSEError.malformed(.key, "a JWK member is not strict base64url")
        guard let modulusBytes = Base64URL.decodedCount(n.count),
            let exponentBytes = Base64URL.decodedCount(e.count)
        else { throw fault }
        try withScratch(of: UInt8.self, capacity: modulusBytes + exponentBytes) {
            (numbers) throws(JOSEError) in
            guard Base64URL.decode(text.extracting(n), into: &numbers),
                Base64URL.decode(text.extracting(e), into: &numbers)
            else { throw fault }
            try checkShape(
                modulus: numbers.span.extracting(first: modulusBytes),
                exponent: numbers.span.extracting(droppingFirst: modulusBytes), limits)
        }
    }
}
