// Reads the names and policies of a leaf certificate, for comparison with a required identity.

import JOSEBytes

/// libcrypto has validated the certificate; this type parses it again, as strict DER.
struct LeafNames {
    let outline: CertificateOutline

    init(_ certificate: Span<UInt8>) throws(JOSEError) {
        outline = try CertificateOutline(certificate)
    }

    /// Whether the subject has this attribute exactly once, with this value.
    func hasOne(
        _ attribute: [UInt8], _ value: Span<UInt8>, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Bool {
        var whole = DERReader(outline.subject)
        var names = DERReader(try whole.next(DER.sequence, bytes))
        var count = 0
        var isEqual = false
        while !names.isAtEnd {
            var set = DERReader(try names.next(0x31, bytes))
            while !set.isAtEnd {
                var pair = DERReader(try set.next(DER.sequence, bytes))
                let type = try pair.next(DER.identifier, bytes)
                guard OID.matches(bytes, type, attribute) else { continue }
                count += 1
                // The bytes of UTF8String, PrintableString and IA5String are UTF-8.
                guard let tag = pair.tag(bytes), tag == 0x0c || tag == 0x13 || tag == 0x16 else {
                    continue
                }
                isEqual = equal(bytes.extracting(try pair.next(tag, bytes)), value)
            }
        }
        return count == 1 && isEqual
    }

    /// Whether `isSame` accepts a subject alternative name that has this tag.
    func hasAlternative(
        _ tag: UInt8, _ bytes: Span<UInt8>, _ isSame: (Span<UInt8>) -> Bool
    ) throws(JOSEError) -> Bool {
        guard let value = try outline.uniqueValue(17, bytes) else { return false }
        var whole = DERReader(value)
        var names = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        var found = false
        while !names.isAtEnd {
            guard let own = names.tag(bytes) else { break }
            let name = try names.next(own, bytes)
            if own == tag, isSame(bytes.extracting(name)) { found = true }
        }
        return found
    }
}

enum CertificatePolicies {
    /// 2.5.29.32.0
    private static let anyPolicy: [UInt8] = [0x55, 0x1d, 0x20, 0x00]

    /// Returns false for policyMappings (33), which is stricter than RFC 5280, 6.1. The leaf must
    /// name the policy itself, each certificate above it the policy or anyPolicy. If any
    /// certificate has inhibitAnyPolicy (54), all must name the policy itself.
    static func allow(
        _ policy: [UInt8], _ certificates: ArraySlice<[UInt8]>
    ) throws(JOSEError) -> Bool {
        var isAnyInhibited = false
        var outlines: [CertificateOutline] = []
        for der in certificates {
            let outline = try CertificateOutline(der.span)
            guard !(try outline.has(33, der.span)) else { return false }
            if try outline.has(54, der.span) { isAnyInhibited = true }
            outlines.append(outline)
        }
        for (index, (der, outline)) in zip(certificates, outlines).enumerated() {
            if try names(policy, outline, der.span) { continue }
            guard index > 0, !isAnyInhibited, try names(anyPolicy, outline, der.span) else {
                return false
            }
        }
        return true
    }

    private static func names(
        _ policy: [UInt8], _ outline: CertificateOutline, _ bytes: Span<UInt8>
    ) throws(JOSEError) -> Bool {
        guard let value = try outline.uniqueValue(32, bytes) else { return false }
        var whole = DERReader(value)
        var list = DERReader(try whole.next(DER.sequence, bytes))
        try whole.finish()
        while !list.isAtEnd {
            var information = DERReader(try list.next(DER.sequence, bytes))
            let identifier = try information.next(DER.identifier, bytes)
            if OID.matches(bytes, identifier, policy) { return true }
        }
        return false
    }
}

enum ObjectIdentifierText {
    /// Returns the contents of the OBJECT IDENTIFIER; throws `misuse` for invalid text (X.660).
    static func contents(_ text: String) throws(JOSEError) -> [UInt8] {
        let failure = JOSEError.misuse(
            "an object identifier must be dotted decimal, such as 2.5.4.97, without leading zeros"
        )
        guard text.utf8.count <= 256 else { throw failure }
        var arcs: [UInt64] = []
        for piece in text.pieces(at: UInt8(ascii: ".")) {
            let digits = piece.utf8
            guard (1...18).contains(digits.count), digits.allSatisfy({ 0x30...0x39 ~= $0 }),
                digits.count == 1 || digits.first != 0x30, let arc = UInt64(piece)
            else { throw failure }
            arcs.append(arc)
        }
        guard arcs.count >= 2, arcs[0] <= 2, arcs[0] == 2 || arcs[1] < 40 else { throw failure }
        return DER.identifier(arcs)
    }
}
