// One walk over a protected header: the members that decide, with their JSON types checked.

import JOSEBytes

/// The registered members of a protected header, as nodes of its scanned text.
struct HeaderFields {
    var algorithm: JSONNode?
    var encryption: JSONNode?
    var keyID: JSONNode?
    var type: JSONNode?
    var contentType: JSONNode?
    var compression: JSONNode?
    /// Where the parameters of key management stand.
    var parameters = ParameterPlaces()
    /// Whether `iss`, `sub` or `aud` stand in the header too (RFC 7519, 5.3).
    var hasReplicatedClaims = false
    /// Whether `b64` says false, for readers that understand it (RFC 7797, 3).
    private(set) var isUnencoded = false
    private var critical: Int?
    private var unencoded: Int?

    /// Reads the header of a JWS or JWE.
    ///
    /// Throws `malformed` for a wrong JSON type, `limitExceeded` for a long kid, and what `crit` earns.
    ///
    /// - Parameter extensions: The critical extensions that this reader understands.
    init(
        _ text: Span<UInt8>, _ tree: Span<JSONNode>, _ limits: JOSELimits,
        understanding extensions: CriticalHeader.Extensions = []
    ) throws(JOSEError) {
        guard tree[0].kind == .object else {
            throw .malformed(.header, "the header is not an object")
        }
        var index = 1
        while index < tree[0].next {
            try read(tree[index], index + 1, text, tree)
            index = tree[index + 1].next
        }
        guard algorithm != nil else { throw .malformed(.header, "the header has no alg") }
        if let keyID, keyID.end - keyID.start > limits.keyIDBytes {
            throw .limitExceeded(.header, "kid is too long")
        }
        if let critical { try CriticalHeader.checkForm(critical, text, tree) }
        if let unencoded {
            try CriticalHeader.checkUnencoded(unencoded, critical, text, tree)
            isUnencoded = tree[unencoded].kind == .false
        }
        if let critical { try CriticalHeader.checkUnderstood(critical, extensions, text, tree) }
    }

    private mutating func read(
        _ name: JSONNode, _ value: Int, _ text: Span<UInt8>, _ tree: Span<JSONNode>
    ) throws(JOSEError) {
        let node = tree[value]
        switch HeaderMember.find(name, in: text) {
        case .alg: algorithm = try string(node)
        case .enc: encryption = try string(node)
        case .kid: keyID = try string(node)
        case .typ: type = try string(node)
        case .cty: contentType = try string(node)
        case .zip: compression = try string(node)
        case .crit: critical = value
        case .b64: unencoded = value
        case .iss, .sub, .aud: hasReplicatedClaims = true
        case .epk: parameters.ephemeralKey = Int32(value)
        case .apu: parameters.partyU = Int32(value)
        case .apv: parameters.partyV = Int32(value)
        case .iv: parameters.iv = Int32(value)
        case .tag: parameters.tag = Int32(value)
        case .p2s: parameters.salt = Int32(value)
        case .p2c: parameters.iterations = Int32(value)
        case nil: break
        }
    }

    private func string(_ node: JSONNode) throws(JOSEError) -> JSONNode {
        guard node.kind == .string else {
            throw .malformed(.header, "a header member that must be a string is not one")
        }
        return node
    }
}

/// Where parameters of key management stand in a header's nodes; 0 for those that do not. Their types are
/// checked by the algorithm that uses them.
struct ParameterPlaces {
    var ephemeralKey: Int32 = 0
    var partyU: Int32 = 0
    var partyV: Int32 = 0
    var iv: Int32 = 0
    var tag: Int32 = 0
    var salt: Int32 = 0
    var iterations: Int32 = 0
}

/// The header members that this library acts on.
enum HeaderMember {
    case alg, enc, kid, typ, cty, zip, crit, b64, iss, sub, aud, epk, apu, apv, iv, tag, p2s, p2c

    /// Finds the member of this name by one comparison of its bytes as a number.
    static func find(_ name: JSONNode, in text: Span<UInt8>) -> HeaderMember? {
        if name.hasEscapes { return JSON.packedName(name, in: text).flatMap { named($0) } }
        let count = name.end - name.start
        guard count >= 2, count <= 4 else { return nil }
        var packed: UInt64 = 0
        for index in name.start..<name.end { packed = packed << 8 | UInt64(text[index]) }
        return named(packed)
    }

    private static func named(_ packed: UInt64) -> HeaderMember? {
        switch packed {
        case 0x61_6c67: .alg
        case 0x65_6e63: .enc
        case 0x6b_6964: .kid
        case 0x74_7970: .typ
        case 0x63_7479: .cty
        case 0x7a_6970: .zip
        case 0x6372_6974: .crit
        case 0x62_3634: .b64
        case 0x69_7373: .iss
        case 0x73_7562: .sub
        case 0x61_7564: .aud
        case 0x65_706b: .epk
        case 0x61_7075: .apu
        case 0x61_7076: .apv
        case 0x6976: .iv
        case 0x74_6167: .tag
        case 0x70_3273: .p2s
        case 0x70_3263: .p2c
        default: nil
        }
    }
}
