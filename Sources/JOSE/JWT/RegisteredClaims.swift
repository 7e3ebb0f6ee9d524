// Finds the registered claims of a document in one pass.

import JOSEBytes

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

    /// The node of a claim's value; nil if the claim is absent.
    subscript(_ name: Name) -> Int? {
        let index = nodes[name.rawValue]
        return index < 0 ? nil : Int(index)
    }

    func index(of claim: RequiredClaim, in document: JSONDocument) -> Int? {
        guard let known = claim.known else { return document.member(named: claim.text) }
        return self[known]
    }

    @inline(__always)
    private static func find(_ name: JSONNode, in text: Span<UInt8>) -> Name? {
        PackedName(name, in: text).flatMap { Name.named($0) }
    }
}

extension RegisteredClaims.Name {
    /// Whether null counts as absent: for `azp`, `at_hash` and `c_hash`, which are optional in
    /// OpenID Connect, and for no other registered claim.
    var mayBeNull: Bool { self == .azp || self == .atHash || self == .cHash }

    @inline(__always)
    static func named(_ name: PackedName) -> RegisteredClaims.Name? {
        switch name {
        case "iss": .iss
        case "sub": .sub
        case "aud": .aud
        case "exp": .exp
        case "nbf": .nbf
        case "iat": .iat
        case "jti": .jti
        case "azp": .azp
        case "nonce": .nonce
        case "at_hash": .atHash
        case "c_hash": .cHash
        default: nil
        }
    }
}

struct RequiredClaim {
    let text: String
    /// Nil for a name that is not in `RegisteredClaims.Name`.
    let known: RegisteredClaims.Name?

    init(_ text: String) {
        self.text = text
        known = PackedName(text.utf8.span).flatMap(RegisteredClaims.Name.named)
    }
}
