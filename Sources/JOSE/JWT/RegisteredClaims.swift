// The claims that the checks look at, found in one walk over the object.

import JOSEBytes

/// Where the registered claims stand among a document's nodes.
struct RegisteredClaims {
    enum Name: Int, CaseIterable {
        case iss, sub, aud, exp, nbf, iat, jti, nonce, azp, atHash, cHash

        var text: StaticString {
            switch self {
            case .iss: "iss"
            case .sub: "sub"
            case .aud: "aud"
            case .exp: "exp"
            case .nbf: "nbf"
            case .iat: "iat"
            case .jti: "jti"
            case .nonce: "nonce"
            case .azp: "azp"
            case .atHash: "at_hash"
            case .cHash: "c_hash"
            }
        }
    }

    private var nodes: [11 of Int32] = .init(repeating: -1)

    init(_ document: JSONDocument) {
        let tree = document.nodes
        let text = document.bytes
        var index = 1
        while index < tree[0].next {
            if let name = RegisteredClaims.find(tree[index], in: text.span) {
                nodes[name.rawValue] = Int32(truncatingIfNeeded: index + 1)
            }
            index = tree[index + 1].next
        }
    }

    /// The index of a claim's value; nil where it is absent.
    subscript(_ name: Name) -> Int? {
        let index = nodes[name.rawValue]
        return index < 0 ? nil : Int(index)
    }

    /// The index of the value of a claim of this name, registered or not.
    func index(named name: String, in document: JSONDocument) -> Int? {
        // NUL in front has no weight in a name's number.
        if name.utf8.first != 0, let known = Name.named(name.utf8.span) { return self[known] }
        return document.member(named: name)
    }

    private static func find(_ name: JSONNode, in text: Span<UInt8>) -> Name? {
        if name.hasEscapes { return JSON.packedName(name, in: text).flatMap { Name.named($0) } }
        return Name.named(text.extracting(name.start..<name.end))
    }
}

extension RegisteredClaims.Name {
    /// The claim of this name, found by one comparison of its bytes as a number.
    static func named(_ name: Span<UInt8>) -> RegisteredClaims.Name? {
        guard name.count >= 3, name.count <= 7 else { return nil }
        var packed: UInt64 = 0
        for index in name.indices { packed = packed << 8 | UInt64(name[index]) }
        return named(packed)
    }

    /// The claim whose name's bytes are this number.
    fileprivate static func named(_ packed: UInt64) -> RegisteredClaims.Name? {
        switch packed {
        case 0x69_7373: .iss
        case 0x73_7562: .sub
        case 0x61_7564: .aud
        case 0x65_7870: .exp
        case 0x6e_6266: .nbf
        case 0x69_6174: .iat
        case 0x6a_7469: .jti
        case 0x61_7a70: .azp
        case 0x6e_6f6e_6365: .nonce
        case 0x61_745f_6861_7368: .atHash
        case 0x63_5f68_6173_68: .cHash
        default: nil
        }
    }
}
