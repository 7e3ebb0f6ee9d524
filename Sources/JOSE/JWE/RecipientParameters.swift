// Reads the header parameters of a key management algorithm, strictly, and lends their bytes.

import JOSEBytes
import JOSECrypto

/// The parameters of one recipient, in the header of a received token.
struct RecipientParameters {
    let fields: HeaderFields
    let form: RecipientForm
    let limits: JOSELimits

    /// Reads the parameters and lends them, and their bytes.
    ///
    /// - Throws: `malformed` for a missing member, a wrong JSON type, base64url or size; `limitExceeded` for
    ///   iterations outside the limits; `decryptionFailed` for an ephemeral key on another curve.
    func read<Result>(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ body: (_ parameters: KeyParameters, _ values: Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard !form.isEmpty else { return try body(KeyParameters(), Span()) }
        let parameters = form.parameters
        // Judged before any work is done.
        let iterations = try iterations(text, tree)
        return try withScratch(
            of: UInt8.self, capacity: parameters.reduce(0) { $0 + mostBytes($1, tree) }
        ) { (out) throws(JOSEError) in
            var (partyU, partyV): (Int32, Int32) = (0, 0)
            for parameter in parameters {
                let place = fields.parameters[parameter.member]
                switch parameter.value {
                case .octets(let size):
                    try Self.append(place, size, text, tree, to: &out)
                case .publicKey: try appendKey(place, text, tree, to: &out)
                case .salt: try Self.appendSalt(place, text, tree, to: &out)
                case .partyU: partyU = place
                case .partyV: partyV = place
                case .iterations: break
                }
            }
            let partyUBytes = try Self.appendParty(partyU, text, tree, to: &out)
            let partyVBytes = try Self.appendParty(partyV, text, tree, to: &out)
            return try body(
                KeyParameters(
                    partyUBytes: partyUBytes, partyVBytes: partyVBytes, iterations: iterations),
                out.span)
        }
    }

    /// The most bytes that a parameter of this header gives.
    private func mostBytes(_ parameter: AlgorithmParameter, _ tree: Span<JSONNode>) -> Int {
        switch parameter.value {
        case .octets, .publicKey, .salt, .iterations: return form.mostBytes(parameter.value)
        case .partyU, .partyV:
            guard let node = try? Self.string(fields.parameters[parameter.member], tree) else {
                return 0
            }
            // Escapes take more room than what they stand for.
            return (node.end - node.start) / 4 * 3 + 2
        }
    }

    /// The one or two values of an accepted header that change with each message, in the order of the parameters;
    /// nil where the algorithm has none, or others stand beside them.
    func changing(_ text: Span<UInt8>, _ tree: Span<JSONNode>) -> (JSONNode, JSONNode?)? {
        var first: JSONNode?
        var second: JSONNode?
        for parameter in form.parameters {
            let place = fields.parameters[parameter.member]
            var values: (JSONNode, JSONNode?)
            switch parameter.value {
            case .salt, .iterations: return nil
            case .partyU, .partyV:
                guard place == 0 else { return nil }
                continue
            case .octets: values = (tree[Int(place)], nil)
            case .publicKey:
                func value(_ name: StaticString) -> JSONNode {
                    tree[Int(Self.member(name, of: place, text, tree))]
                }
                values = (value("x"), form.hasTwoCoordinates ? value("y") : nil)
            }
            if first == nil {
                (first, second) = values
            } else if second == nil, values.1 == nil {
                second = values.0
            } else {
                return nil
            }
        }
        return first.map { ($0, second) }
    }

    // MARK: strings of known sizes

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

    /// `p2c`: a whole number within the limits; 0 where the algorithm has none.
    private func iterations(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> UInt32 {
        guard let member = form.iterations else { return 0 }
        let place = Int(fields.parameters[member])
        guard place != 0, tree[place].kind == .number else { throw Self.malformed }
        guard let number = JSON.fixedPoint(tree[place], in: text) else {
            throw .limitExceeded(
                .header, "p2c is outside JOSELimits.minimumIterations and maximumIterations")
        }
        guard number.whole > 0, number.attos == 0 else { throw Self.malformed }
        guard number.whole >= limits.minimumIterations,
            number.whole <= limits.maximumIterations
        else {
            throw .limitExceeded(
                .header, "p2c is outside JOSELimits.minimumIterations and maximumIterations")
        }
        return UInt32(clamping: number.whole)
    }

    private static func appendSalt(
        _ place: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        let node = try string(place, tree)
        let isRight = try JSONText.withString(node, in: text) { (value) throws(JOSEError) in
            guard let count = Base64URL.decodedCount(value.count), count >= 8 else { return false }
            guard count <= RecipientForm.mostSalt else {
                throw .limitExceeded(.header, "p2s is too long")
            }
            return Base64URL.decode(value, into: &out)
        }
        guard isRight else { throw malformed }
    }

    // MARK: ECDH-ES

    /// Appends the bytes of `apu` or `apv`, which may be absent, and gives how many there are.
    private static func appendParty(
        _ place: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> Int {
        guard place != 0 else { return 0 }
        let (node, start) = (try string(place, tree), out.count)
        let isRight = try JSONText.withString(node, in: text) { (value) throws(JOSEError) in
            Base64URL.decode(value, into: &out)
        }
        guard isRight else { throw malformed }
        return out.count - start
    }

    /// The coordinates of `epk`, which must be a public key on the recipient's curve.
    private func appendKey(
        _ place: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        guard let curve = form.curve, place != 0, tree[Int(place)].kind == .object else {
            throw Self.malformed
        }
        func member(_ name: StaticString) -> Int32 { Self.member(name, of: place, text, tree) }
        guard member("d") == 0 else {
            throw .malformed(.header, "epk holds a private key")
        }
        let type = try Self.string(member("kty"), tree)
        let name = try Self.string(member("crv"), tree)
        guard JSON.equals(type, curve.keyType.word, in: text),
            JSON.equals(name, curve.word, in: text)
        else {
            // A known curve under another key type is no key at all.
            for other in JWKCurve.all where JSON.equals(name, other.word, in: text) {
                guard JSON.equals(type, other.keyType.word, in: text) else {
                    throw Self.malformed
                }
            }
            throw .decryptionFailed
        }
        try Self.append(member("x"), form.coordinateBytes, text, tree, to: &out)
        if form.hasTwoCoordinates {
            try Self.append(member("y"), form.coordinateBytes, text, tree, to: &out)
        } else if member("y") != 0 {
            throw Self.malformed
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
