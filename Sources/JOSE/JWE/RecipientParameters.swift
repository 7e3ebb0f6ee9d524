// Reads the header parameters of a key management algorithm from a received token.

import JOSEBytes
import JOSECrypto

struct RecipientParameters {
    let fields: HeaderFields
    let layout: RecipientHeaderLayout
    let limits: JOSELimits

    /// Passes the parameters and their decoded bytes to `body`. An ephemeral key on another curve
    /// throws `decryptionFailed`; other defects are `malformed` or `limitExceeded`.
    func read<Result>(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        _ body: (_ parameters: KeyParameters, _ values: Span<UInt8>) throws(JOSEError) -> Result
    ) throws(JOSEError) -> Result {
        guard !layout.isEmpty else { return try body(KeyParameters(), Span()) }
        let parameters = layout.parameters
        let iterations = try iterations(text, tree)
        return try withScratch(
            of: UInt8.self, capacity: parameters.reduce(0) { $0 + maxBytes($1, tree) }
        ) { (out) throws(JOSEError) in
            var (partyU, partyV): (Int32, Int32) = (0, 0)
            for parameter in parameters {
                let node = fields.parameters[parameter.member]
                switch parameter.value {
                case .octets(let size):
                    try Self.append(node, parameter.member.name, size, text, tree, to: &out)
                case .publicKey: try appendKey(node, text, tree, to: &out)
                case .salt: try Self.appendSalt(node, text, tree, to: &out)
                case .partyU: partyU = node
                case .partyV: partyV = node
                case .iterations: break
                }
            }
            let partyUBytes = try Self.appendParty(partyU, "apu", text, tree, to: &out)
            let partyVBytes = try Self.appendParty(partyV, "apv", text, tree, to: &out)
            return try body(
                KeyParameters(
                    partyUBytes: partyUBytes, partyVBytes: partyVBytes, iterations: iterations),
                out.span)
        }
    }

    /// The maximum size in bytes of a decoded parameter of this header.
    private func maxBytes(_ parameter: AlgorithmParameter, _ tree: Span<JSONNode>) -> Int {
        switch parameter.value {
        case .octets, .publicKey, .salt, .iterations: return layout.maxBytes(parameter.value)
        case .partyU, .partyV:
            let index = Int(fields.parameters[parameter.member])
            guard index != 0, tree[index].kind == .string else { return 0 }
            // An upper bound: a JSON escape sequence is longer than the byte that it encodes.
            return (tree[index].end - tree[index].start) / 4 * 3 + 2
        }
    }

    // MARK: strings of known sizes

    /// Appends the bytes of a required member, which must have exactly `size` bytes.
    private static func append(
        _ node: Int32, _ name: StaticString, _ size: Int, _ text: Span<UInt8>,
        _ tree: Span<JSONNode>, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        let value = try string(node, name, tree)
        try JSONText.withString(value, in: text) { (value) throws(JOSEError) in
            guard let count = Base64URL.decodedCount(value.count), count == size else {
                throw wrongSize(value, name, size)
            }
            guard Base64URL.decode(value, into: &out) else {
                throw .notBase64URL(value, .header, name)
            }
        }
    }

    private static func wrongSize(
        _ value: Span<UInt8>, _ name: StaticString, _ size: Int
    ) -> JOSEError {
        guard Base64URL.isValid(value), let count = Base64URL.decodedCount(value.count) else {
            return .notBase64URL(value, .header, name)
        }
        return .malformed(
            .header, "{} has {} bytes; it must have {}", .name(name), .number(count), .number(size))
    }

    // MARK: PBES2

    /// Reads `p2c`, which must be within the limits; 0 for an algorithm without `p2c`.
    private func iterations(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> UInt32 {
        guard let member = layout.iterations else { return 0 }
        let index = Int(fields.parameters[member])
        guard index != 0 else { throw Self.missing(member.name) }
        guard tree[index].kind == .number else {
            throw .malformed(.header, "p2c is not a number")
        }
        guard let number = JSON.fixedPoint(tree[index], in: text) else {
            throw .limitExceeded(
                .header, "p2c is above JOSELimits.maxIterations ({})",
                .number(limits.maxIterations))
        }
        guard number.whole > 0, number.attos == 0 else {
            throw .malformed(.header, "p2c is not a positive whole number")
        }
        guard number.whole >= limits.minIterations,
            number.whole <= limits.maxIterations
        else {
            throw .limitExceeded(
                .header,
                "p2c is {}; {} to {} are accepted (JOSELimits.minIterations, maxIterations)",
                .number(Int(clamping: number.whole)), .number(limits.minIterations),
                .number(limits.maxIterations))
        }
        return UInt32(clamping: number.whole)
    }

    private static func appendSalt(
        _ node: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        let salt = try string(node, "p2s", tree)
        try JSONText.withString(salt, in: text) { (value) throws(JOSEError) in
            guard let count = Base64URL.decodedCount(value.count) else {
                throw .notBase64URL(value, .header, "p2s")
            }
            guard count >= 8 else {
                throw .malformed(
                    .header, "p2s has {} bytes; at least 8 are required", .number(count))
            }
            guard count <= RecipientHeaderLayout.maxSalt else {
                throw .limitExceeded(
                    .header, "p2s has {} bytes; at most {} are accepted", .number(count),
                    .number(RecipientHeaderLayout.maxSalt))
            }
            guard Base64URL.decode(value, into: &out) else {
                throw .notBase64URL(value, .header, "p2s")
            }
        }
    }

    // MARK: ECDH-ES

    /// Appends the bytes of `apu` or `apv` and returns their number; 0 if the member is absent.
    private static func appendParty(
        _ node: Int32, _ name: StaticString, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> Int {
        guard node != 0 else { return 0 }
        let (value, start) = (try string(node, name, tree), out.count)
        try JSONText.withString(value, in: text) { (value) throws(JOSEError) in
            guard Base64URL.decode(value, into: &out) else {
                throw .notBase64URL(value, .header, name)
            }
        }
        return out.count - start
    }

    /// Appends the coordinates of `epk`. Its key must be public and on the recipient's curve.
    private func appendKey(
        _ node: Int32, _ text: Span<UInt8>, _ tree: Span<JSONNode>,
        to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        guard let curve = layout.curve, node != 0 else { throw Self.missing("epk") }
        guard tree[Int(node)].kind == .object else {
            throw .malformed(.header, "epk is not a JSON object")
        }
        func member(_ name: StaticString) -> Int32 {
            Int32(tree.memberValue(name, of: Int(node), in: text) ?? 0)
        }
        guard member("d") == 0 else {
            throw .malformed(.header, "epk has the private member d")
        }
        let type = try Self.string(member("kty"), "epk.kty", tree)
        let name = try Self.string(member("crv"), "epk.crv", tree)
        guard JSON.equals(type, curve.keyType.staticName, in: text),
            JSON.equals(name, curve.staticName, in: text)
        else {
            // A known curve with the `kty` of another key type is malformed.
            for other in JWKCurve.all where JSON.equals(name, other.staticName, in: text) {
                guard JSON.equals(type, other.keyType.staticName, in: text) else {
                    throw .malformed(
                        .header, "epk.crv is {}, a curve of kty {}; epk.kty is another",
                        .name(other.staticName), .name(other.keyType.staticName))
                }
            }
            throw .decryptionFailed
        }
        try Self.append(member("x"), "epk.x", layout.coordinateBytes, text, tree, to: &out)
        if layout.hasTwoCoordinates {
            try Self.append(member("y"), "epk.y", layout.coordinateBytes, text, tree, to: &out)
        } else if member("y") != 0 {
            throw .malformed(
                .header, "epk has the member y, which a key on {} does not have",
                .name(curve.staticName))
        }
    }

    private static func string(
        _ node: Int32, _ name: StaticString, _ tree: Span<JSONNode>
    ) throws(JOSEError) -> JSONNode {
        guard node != 0 else { throw missing(name) }
        guard tree[Int(node)].kind == .string else {
            throw .malformed(.header, "the header parameter {} is not a string", .name(name))
        }
        return tree[Int(node)]
    }

    private static func missing(_ name: StaticString) -> JOSEError {
        .malformed(
            .header, "the header parameter {} is missing; the algorithm requires it", .name(name))
    }
}
