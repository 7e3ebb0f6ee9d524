// HeaderMember: the header members that this library knows, and who may write each.

package import JOSEBytes

/// A header member that this library knows by name. Others are ignored unless `crit` lists them.
package enum HeaderMember: PackedName, CaseIterable, Sendable {
    // JWS and JWE (RFC 7515, 4.1; RFC 7516, 4.1).
    case alg, enc, zip, jku, jwk, kid, x5u, x5c, x5t, typ, cty, crit
    case x5tS256 = "x5t#S256"
    // Key management (RFC 7518, 4.6.1, 4.7.1, 4.8.1); `ParameterForm` has those of each algorithm.
    case epk, apu, apv, iv, tag, p2s, p2c
    // Unencoded payload (RFC 7797, 3).
    case b64
    // Claims that may be replicated in the header (RFC 7519, 5.3).
    case iss, sub, aud

    package enum Writer {
        /// Only the library. Every reader knows it, so `crit` must not list it (RFC 7515, 4.1.11).
        case core
        /// Only the library, which lists it in `crit`.
        case `extension`
        /// Anyone.
        case free
    }

    package var mayBeWrittenBy: Writer {
        switch self {
        case .b64: .extension
        case .iss, .sub, .aud: .free
        default: .core
        }
    }

    package var name: StaticString {
        switch self {
        case .alg: "alg"
        case .enc: "enc"
        case .zip: "zip"
        case .jku: "jku"
        case .jwk: "jwk"
        case .kid: "kid"
        case .x5u: "x5u"
        case .x5c: "x5c"
        case .x5t: "x5t"
        case .typ: "typ"
        case .cty: "cty"
        case .crit: "crit"
        case .x5tS256: "x5t#S256"
        case .epk: "epk"
        case .apu: "apu"
        case .apv: "apv"
        case .iv: "iv"
        case .tag: "tag"
        case .p2s: "p2s"
        case .p2c: "p2c"
        case .b64: "b64"
        case .iss: "iss"
        case .sub: "sub"
        case .aud: "aud"
        }
    }

    /// The index among the parameters of key management; nil for other members.
    package var slot: Int? {
        switch self {
        case .epk: 0
        case .apu: 1
        case .apv: 2
        case .iv: 3
        case .tag: 4
        case .p2s: 5
        case .p2c: 6
        default: nil
        }
    }

    package static func find(_ name: JSONNode, in text: Span<UInt8>) -> HeaderMember? {
        PackedName(name, in: text).flatMap { HeaderMember(rawValue: $0) }
    }

    package static func named(_ name: String) -> HeaderMember? {
        PackedName(name.utf8.span).flatMap { HeaderMember(rawValue: $0) }
    }

    /// Other header parameters of the IANA registry as of 5 February 2026: RFC 8225, RFC 8555, RFC
    /// 9321, IHE ITI, OpenID for Verifiable Presentations, RFC 6749, OpenID Federation.
    private static let otherRegistered: [StaticString] = [
        "ppt", "url", "nonce", "svt", "iheSSId", "jwt", "client_id", "trust_chain",
        "peer_trust_chain",
    ]

    /// Header parameters that the draft JOSE HPKE asks IANA to register.
    private static let requested: [StaticString] = ["ek", "psk_id"]

    /// Whether the name is registered or requested by a draft. Extensions must not use such a name.
    package static func isRegistered(_ name: String) -> Bool {
        named(name) != nil
            || (otherRegistered + requested).contains { name.isExactly($0) }
    }
}
