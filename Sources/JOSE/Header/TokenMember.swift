// The members of tokens in the JSON serialisations.

import JOSEBytes

/// A member of a token, or of one of its signatures or recipients (RFC 7515, 7.2; RFC 7516, 7.2).
enum TokenMember: Int, CaseIterable {
    case payload, signature, signatures, protected, header
    case ciphertext, recipients, encryptedKey, iv, tag, aad, unprotected

    var name: StaticString {
        switch self {
        case .payload: "payload"
        case .signature: "signature"
        case .signatures: "signatures"
        case .protected: "protected"
        case .header: "header"
        case .ciphertext: "ciphertext"
        case .recipients: "recipients"
        case .encryptedKey: "encrypted_key"
        case .iv: "iv"
        case .tag: "tag"
        case .aad: "aad"
        case .unprotected: "unprotected"
        }
    }

    private static let maxNameBytes = 13

    static func find(_ name: JSONNode, in text: Span<UInt8>) -> TokenMember? {
        JSON.find(name, maxBytes: maxNameBytes, in: text) { name in
            switch name.count {
            case 2: one(of: [.iv], name)
            case 3: one(of: [.tag, .aad], name)
            case 6: one(of: [.header], name)
            case 7: one(of: [.payload], name)
            case 9: one(of: [.signature, .protected], name)
            case 10: one(of: [.signatures, .ciphertext, .recipients], name)
            case 11: one(of: [.unprotected], name)
            case 13: one(of: [.encryptedKey], name)
            default: nil
            }
        }.flatMap(TokenMember.init)
    }

    @inline(__always)
    private static func one(of members: [TokenMember], _ name: Span<UInt8>) -> Int? {
        for member in members where equal(name, member.name) { return member.rawValue }
        return nil
    }
}

struct TokenMembers {
    private var nodes: [12 of Int32] = .init(repeating: 0)

    /// The node of a member's value; nil if it is absent.
    subscript(_ member: TokenMember) -> Int? {
        get { nodes[member.rawValue] == 0 ? nil : Int(nodes[member.rawValue]) }
        set { nodes[member.rawValue] = Int32(newValue ?? 0) }
    }

    func hasOne(of members: [TokenMember]) -> Bool { members.contains { self[$0] != nil } }
}
