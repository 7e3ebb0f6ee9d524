// Reads the header parameters of a key management algorithm, strictly, and lends their bytes.

import JOSEBytes
import JOSECrypto

/// The parameters of one recipient, in the header of a received token.
struct RecipientParameters {
    let fields: HeaderFields
    let form: RecipientForm
    let limits: JOSELimits

    /// Salts longer than this are refused before any work.
    private static let mostSalt = 128

    /// Reads the parameters and lends them: `parameters`, `apu`, `apv`, and the iterations.
    ///
    /// - Throws: `malformed` for a missing member, a wrong JSON type, base64url or size; `limitExceeded` for
    ///   iterations outside the limits; `decryptionFailed` for an ephemeral key on another curve.
    func read<Result>(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ body: (
            _ parameters: Span<UInt8>, _ partyU: Span<UInt8>, _ partyV: Span<UInt8>, UInt32
        ) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        let places = fields.parameters
        switch form {
        case .none: return try body(Span(), Span(), Span(), 0)
        case .ivAndTag:
            return try withScratch(
                of: UInt8.self, capacity: RecipientForm.ivBytes + RecipientForm.tagBytes
            ) { (out) throws(JOSEError) in
                try Self.append(places.iv, RecipientForm.ivBytes, text, tree, to: &out)
                try Self.append(places.tag, RecipientForm.tagBytes, text, tree, to: &out)
                return try body(out.span, Span(), Span(), 0)
            }
        case .saltAndIterations:
            let iterations = try iterations(text, tree)
            return try withScratch(of: UInt8.self, capacity: Self.mostSalt) {
                (out) throws(JOSEError) in
                try appendSalt(text, tree, to: &out)
                return try body(out.span, Span(), Span(), iterations)
            }
        case .ephemeralKey(let curve):
            let coordinates = curve.keyType == .ec ? 2 : 1
            return try withScratch(
                of: UInt8.self, capacity: coordinates * curve.native.sizeBytes
            ) { (out) throws(JOSEError) in
                try Self.appendKey(places.ephemeralKey, curve, text, tree, to: &out)
                let key = out.span
                return try Self.withParty(places.partyU, text, tree) { (u) throws(JOSEError) in
                    try Self.withParty(places.partyV, text, tree) { (v) throws(JOSEError) in
                        try body(key, u, v, 0)
                    }
                }
            }
        }
    }

    /// The one or two values of an accepted header that change with each message, in the order of the parameters;
    /// nil where the algorithm has none, or others stand beside them.
    func changing(_ text: Span<UInt8>, _ tree: Span<JSONNode>) -> (JSONNode, JSONNode?)? {
        let places = fields.parameters
        switch form {
        case .none, .saltAndIterations: return nil
        case .ivAndTag: return (tree[Int(places.iv)], tree[Int(places.tag)])
        case .ephemeralKey(let curve):
            guard places.partyU == 0, places.partyV == 0 else { return nil }
            func value(_ name: StaticString) -> JSONNode {
                tree[Int(Self.member(name, of: places.ephemeralKey, text, tree))]
            }
            return (value("x"), curve.keyType == .ec ? value("y") : nil)
        }
    }

    // MARK: AES-GCM key wrapping

    /// Appends the bytes of a member that must be there and have this size.
    private static func append(
        _ place: Int32, _ size: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        let node = try string(place, tree)
        let isRight = try JSONText.withString(node, in: text) { (value) throws(JOSEError) in
            Base64URL.decodedCount(value.count) == size && Base64URL.decode(value, into: &out)
        }
        guard isRight else { throw malformed }
    }

    // MARK: PBES2

    /// `p2c`: a whole number within the limits, judged before any work is done.
    private func iterations(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> UInt32 {
        let place = Int(fields.parameters.iterations)
        guard place != 0, tree[place].kind == .number else { throw Self.malformed }
        guard let number = JSON.fixedPoint(tree[place], in: text) else {
            throw .limitExceeded(.header, "p2c is outside the limits")
        }
        guard number.whole > 0, number.attos == 0 else { throw Self.malformed }
        guard number.whole >= limits.minimumIterations,
            number.whole <= limits.maximumIterations
        else { throw .limitExceeded(.header, "p2c is outside the limits") }
        return UInt32(clamping: number.whole)
    }

    private func appendSalt(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        let node = try Self.string(fields.parameters.salt, tree)
        let isRight = try JSONText.withString(node, in: text) { (value) throws(JOSEError) in
            guard let count = Base64URL.decodedCount(value.count), count >= 8 else { return false }
            guard count <= Self.mostSalt else {
                throw .limitExceeded(.header, "p2s is too long")
            }
            return Base64URL.decode(value, into: &out)
        }
        guard isRight else { throw Self.malformed }
    }

    // MARK: ECDH-ES

    /// `apu` and `apv` may be absent.
    private static func withParty<Result>(
        _ place: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ body: (Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard place != 0 else { return try body(Span()) }
        let node = try string(place, tree)
        return try JSONText.withString(node, in: text) { (value) throws(JOSEError) in
            guard let count = Base64URL.decodedCount(value.count) else { throw malformed }
            return try withScratch(of: UInt8.self, capacity: max(count, 1)) {
                (bytes) throws(JOSEError) in
                guard Base64URL.decode(value, into: &bytes) else { throw malformed }
                return try body(bytes.span)
            }
        }
    }

    /// The coordinates of `epk`, which must be a public key on the recipient's curve.
    private static func appendKey(
        _ place: Int32, _ curve: JWKCurve, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        guard place != 0, tree[Int(place)].kind == .object else { throw malformed }
        func member(_ name: StaticString) -> Int32 { Self.member(name, of: place, text, tree) }
        guard member("d") == 0 else {
            throw .malformed(.header, "epk holds a private key")
        }
        let type = try string(member("kty"), tree)
        let name = try string(member("crv"), tree)
        guard JSON.equals(type, curve.keyType.word, in: text),
            JSON.equals(name, curve.word, in: text)
        else {
            // A known curve under another key type is no key at all.
            for other in JWKCurve.all where JSON.equals(name, other.word, in: text) {
                guard JSON.equals(type, other.keyType.word, in: text) else { throw malformed }
            }
            throw .decryptionFailed
        }
        try append(member("x"), curve.native.sizeBytes, text, tree, to: &out)
        if curve.keyType == .ec {
            try append(member("y"), curve.native.sizeBytes, text, tree, to: &out)
        } else if member("y") != 0 {
            throw malformed
        }
    }

    /// Where the value of an object's member stands; 0 where there is none.
    private static func member(
        _ name: StaticString, of place: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) -> Int32 {
        var index = Int(place) + 1
        while index < tree[Int(place)].next {
            if JSON.equals(tree[index], name, in: text) { return Int32(index + 1) }
            index = tree[index + 1].next
        }
        return 0
    }

    private static func string(
        _ place: Int32, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> JSONNode {
        guard place != 0, tree[Int(place)].kind == .string else { throw malformed }
        return tree[Int(place)]
    }

    private static let malformed = JOSEError.malformed(
        .header, "a header parameter of the algorithm is missing or malformed")
}
