// Reads RSA keys from JWK members, and bounds the work for private keys without primes.

package import JOSEBytes
import JOSECrypto

extension RSAKeyMaterial {
    /// Reads a key (RFC 7518, 6.3). Zero bytes before `n` and `e` of a public key are removed,
    /// since some publishers write them.
    package static func read(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(KeyDefect) -> RSAKeyMaterial {
        guard var n = try JWKFields.bytes(.n, members, text, tree) else { throw missing(.n) }
        guard let range = try JWKFields.base64URLRange(.e, members, tree) else { throw missing(.e) }
        var e: [UInt8] = [1, 0, 1]
        if !isUsual(range, text) { e = try JWKFields.bytes(.e, text.extracting(range)) }
        var hadLeadingZeros = false
        if !members.hasSecret {
            let (ofN, ofE) = (leadingZeros(n.span), leadingZeros(e.span))
            hadLeadingZeros = ofN + ofE > 0
            if ofN > 0 { n.removeFirst(ofN) }
            if ofE > 0 { e.removeFirst(ofE) }
        }
        try check(.n, n.span, limits)
        try check(.e, e.span, limits)
        guard members[.oth] == nil else {
            throw KeyDefect(
                .oth, .keyUnusable("RSA keys of more than two primes (oth) are not supported"))
        }
        guard members.hasSecret else {
            do throws(JOSEError) {
                return try RSAKeyMaterial(
                    modulus: n, exponent: e, limits: limits, hadLeadingZeros: hadLeadingZeros)
            } catch {
                throw KeyDefect(.n, error)
            }
        }
        return try readPrivate(n, e, members, text, tree, limits)
    }

    private static func readPrivate(
        _ n: [UInt8], _ e: [UInt8], _ members: JWKMembers, _ text: Span<UInt8>,
        _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(KeyDefect) -> RSAKeyMaterial {
        let d = try JWKFields.secret(.d, members, text, tree)
        let p = try JWKFields.secret(.p, members, text, tree)
        let q = try JWKFields.secret(.q, members, text, tree)
        let dp = try JWKFields.secret(.dp, members, text, tree)
        let dq = try JWKFields.secret(.dq, members, text, tree)
        let qi = try JWKFields.secret(.qi, members, text, tree)
        guard let d else {
            guard [p, q, dp, dq, qi].allSatisfy({ $0 == nil }) else {
                throw KeyDefect(
                    .d, .keyUnusable("the RSA key has p, q, dp, dq or qi but no d"))
            }
            do throws(JOSEError) {
                return try RSAKeyMaterial(modulus: n, exponent: e, limits: limits)
            } catch {
                throw KeyDefect(.n, error)
            }
        }
        var crt: RSACRT?
        if let p, let q, let dp, let dq, let qi {
            crt = RSACRT(p: p, q: q, dp: dp, dq: dq, qi: qi)
        } else {
            let all: [JWKMember] = [.p, .q, .dp, .dq, .qi]
            let absent = all.filter { members[$0] == nil }
            if absent.count < all.count, let first = absent.first {
                throw KeyDefect(
                    first,
                    .keyUnusable(
                        "{} is missing: an RSA key has all of p, q, dp, dq and qi, or none",
                        .name(first.name)))
            }
        }
        do throws(JOSEError) {
            return try RSAKeyMaterial(
                modulus: n.span, exponent: e.span, d: d, crt: crt, limits: limits)
        } catch {
            throw KeyDefect(.d, error)
        }
    }

    private static func missing(_ member: JWKMember) -> KeyDefect {
        .malformed(member, "{} is missing from an RSA key")
    }

    @inline(__always)
    static func check(
        _ member: JWKMember, _ number: Span<UInt8>, _ limits: JOSELimits
    ) throws(KeyDefect) {
        do throws(JOSEError) {
            if member == .n { try checkModulus(number, limits) } else { try checkExponent(number) }
        } catch {
            throw KeyDefect(member, error)
        }
    }
}

/// Bounds the work for the RSA private keys of one set that lack their primes (RFC 7518, 6.3.2).
///
/// Computing the primes takes some powers modulo n, at a cost up to the cube of n's size: 6 ms for
/// 2,048 bits, 0.2 s for 8,192 on a server of 2026. The whole budget is 1.5 s.
struct RSAFactoringBudget {
    /// 256 keys of 2,048 bits. The cost of a key is the cube of its size in units of 32 bytes.
    private static let whole = 256 * 8 * 8 * 8
    /// Negative after a first key that costs more than the whole budget.
    private var left = RSAFactoringBudget.whole

    /// Throws `keyUnusable` if the cost is more than what is left; the rest stays for smaller keys.
    /// The first key always passes. Entries other than those of `lacksPrimes` cost nothing.
    mutating func spend(
        on entry: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(KeyDefect) {
        guard let members = JWKMembers(ofEntry: entry, in: text, tree),
            RSAFactoringBudget.lacksPrimes(members, text, tree, limits), let n = members[.n]
        else { return }
        // Four base64url characters encode three bytes.
        let size = (tree[n].end - tree[n].start) * 3 / 4 / 32
        let cost = size * size * size
        guard cost <= left || left == RSAFactoringBudget.whole else {
            throw KeyDefect(
                .p,
                .keyUnusable(
                    "too many RSA private keys of the set lack p and q: add p, q, dp, dq and qi"))
        }
        left -= cost
    }

    /// Whether an entry is an RSA private key with acceptable `n`, `e` and `d` and no other number.
    private static func lacksPrimes(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) -> Bool {
        let others: [JWKMember] = [.p, .q, .dp, .dq, .qi, .oth]
        // `checkShape` tolerates leading zeros of `n`, but a private key with them is rejected.
        guard let n = members[.n], !beginsWithZero(tree[n], text) else { return false }
        guard let type = members[.kty], tree[type].kind == .string,
            JSON.equals(tree[type], "RSA", in: text),
            others.allSatisfy({ members[$0] == nil })
        else { return false }
        do throws(KeyDefect) {
            try RSAKeyMaterial.checkShape(members, text, tree, limits)
            return try JWKFields.secret(.d, members, text, tree) != nil
        } catch {
            return false
        }
    }

    /// Whether the first byte is zero: `A` encodes six zero bits, `A` to `P` begin with two.
    private static func beginsWithZero(_ node: JSONNode, _ text: Span<UInt8>) -> Bool {
        node.end - node.start >= 2 && text[node.start] == UInt8(ascii: "A")
            && UInt8(ascii: "A")...UInt8(ascii: "P") ~= text[node.start + 1]
    }
}

extension RSAKeyMaterial {
    static func checkShape(
        _ members: JWKMembers, _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits
    ) throws(KeyDefect) {
        guard let n = try JWKFields.base64URLRange(.n, members, tree) else { throw missing(.n) }
        guard let e = try JWKFields.base64URLRange(.e, members, tree) else { throw missing(.e) }
        try checkModulus(base64URL: text.extracting(n), limits)
        guard !isUsual(e, text) else { return }
        let exponent = try JWKFields.bytes(.e, text.extracting(e))
        try check(.e, exponent.span.extracting(droppingFirst: leadingZeros(exponent.span)), limits)
    }

    /// Whether `e` is 65,537, as in nearly every key, so that it need not be decoded.
    @inline(__always)
    private static func isUsual(_ e: Range<Int>, _ text: Span<UInt8>) -> Bool {
        PackedName(JSONNode(.string, at: e), in: text) == "AQAB"
    }

    private static func checkModulus(
        base64URL text: Span<UInt8>, _ limits: JOSELimits
    ) throws(KeyDefect) {
        guard let count = Base64URL.decodedCount(text.count) else {
            throw JWKFields.notBase64URL(.n, text)
        }
        try withScratch(of: UInt8.self, capacity: count) { (number) throws(KeyDefect) in
            guard Base64URL.decode(text, into: &number) else {
                throw JWKFields.notBase64URL(.n, text)
            }
            let number = number.span
            try check(.n, number.extracting(droppingFirst: leadingZeros(number)), limits)
        }
    }
}
