// Reads the registered members of a protected header in one pass, and checks their JSON types.

import JOSEBytes

/// The registered members of a header, as nodes of its parsed text.
struct HeaderFields {
    var algorithm: JSONNode?
    var encryption: JSONNode?
    var keyID: JSONNode?
    var type: JSONNode?
    var contentType: JSONNode?
    var compression: JSONNode?
    var parameters = ParameterNodes()
    /// Whether the header contains `iss`, `sub` or `aud` (RFC 7519, 5.3).
    var hasReplicatedClaims = false
    /// Whether `b64` is false (RFC 7797, 3).
    private(set) var isUnencoded = false
    private var critical: Int?
    private var unencoded: Int?

    /// - Parameter extensions: The `crit` extensions that the caller supports.
    /// - Throws: `malformed` for a missing `alg` or a wrong JSON type, `limitExceeded` for a long
    ///   `kid`, and the errors of `CriticalHeader`.
    init(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits,
        understanding extensions: CriticalHeader.Extensions = .none
    ) throws(JOSEError) {
        guard tree[0].kind == .object else {
            throw .malformed(.header, "the header is not a JSON object")
        }
        var index = 1
        while index < tree[0].next {
            try read(tree[index], index + 1, text, tree)
            index = tree[index + 1].next
        }
        guard algorithm != nil else { throw .malformed(.header, "the header has no alg") }
        if let keyID, keyID.end - keyID.start > limits.keyIDBytes {
            throw .limitExceeded(
                .header, "kid has {} bytes; at most {} are accepted (JOSELimits.keyIDBytes)",
                .number(keyID.end - keyID.start), .number(limits.keyIDBytes))
        }
        if let critical { try CriticalHeader.checkForm(critical, text, tree) }
        if let unencoded {
            try CriticalHeader.checkUnencoded(unencoded, critical, text, tree)
            isUnencoded = tree[unencoded].kind == .false
        }
        if let critical { try CriticalHeader.checkSupported(critical, extensions, text, tree) }
    }

    @inline(__always)
    private mutating func read(
        _ name: JSONNode, _ value: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        let node = tree[value]
        switch HeaderMember.find(name, in: text) {
        case .alg: algorithm = try string(node, .alg)
        case .enc: encryption = try string(node, .enc)
        case .kid: keyID = try string(node, .kid)
        case .typ: type = try string(node, .typ)
        case .cty: contentType = try string(node, .cty)
        case .zip: compression = try string(node, .zip)
        case .crit: critical = value
        case .b64: unencoded = value
        case .iss, .sub, .aud: hasReplicatedClaims = true
        case let member?: parameters.keep(member, at: Int32(value))
        case nil: break
        }
    }

    @inline(__always)
    private func string(
        _ node: JSONNode, _ member: HeaderMember
    ) throws(JOSEError) -> JSONNode {
        guard node.kind == .string else { throw HeaderFields.notString(member) }
        return node
    }

    @inline(never)
    private static func notString(_ member: HeaderMember) -> JOSEError {
        .malformed(.header, "the header parameter {} is not a string", .name(member.name))
    }
}

/// The nodes of key management parameters. The algorithm that uses them checks their types.
struct ParameterNodes {
    /// Indexed by `HeaderMember.slot`.
    private var nodes: [8 of Int32] = .init(repeating: 0)

    /// The node of a parameter's value; 0, the node of the header itself, if it is absent.
    subscript(_ member: HeaderMember) -> Int32 { member.slot.map { nodes[$0] } ?? 0 }

    mutating func keep(_ member: HeaderMember, at node: Int32) {
        if let slot = member.slot { nodes[slot] = node }
    }
}
