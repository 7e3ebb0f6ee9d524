// The table of header members: the name of each, who writes it, and where a reader keeps it.

package import JOSEBytes

/// A header member that this library knows by name; all others mean nothing to it.
package enum HeaderMember: PackedName, CaseIterable, Sendable {
    // Of every token (RFC 7515, 4.1; RFC 7516, 4.1).
    case alg, enc, zip, jku, jwk, kid, x5u, x5c, x5t, typ, cty, crit
    case x5tS256 = "x5t#S256"
    // Of key management (RFC 7518, 4.6.1, 4.7.1 and 4.8.1); `ParameterForm` says which algorithm reads them.
    case epk, apu, apv, iv, tag, p2s, p2c
    // Of an unencoded payload (RFC 7797, 3).
    case b64
    // Claims that stand in a header too (RFC 7519, 5.3).
    case iss, sub, aud

    /// What the RFCs say of a name.
    package enum Standing {
        /// Every reader knows it: only the library writes it, and `crit` must not list it (RFC 7515, 4.1.11).
        case registered
        /// Only the library writes it, and lists it in `crit`.
        case `extension`
        /// Anyone writes it.
        case free
    }

    package var standing: Standing {
        switch self {
        case .b64: .extension
        case .iss, .sub, .aud: .free
        default: .registered
        }
    }

    /// The name as a constant, for errors.
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

    /// Its place among the parameters of key management; nil for other members.
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

    /// The member that a name spells.
    package static func find(_ name: JSONNode, in text: Span<UInt8>) -> HeaderMember? {
        PackedName(name, in: text).flatMap { HeaderMember(rawValue: $0) }
    }

    /// The member that a name of the caller spells.
    package static func named(_ name: String) -> HeaderMember? {
        PackedName(name.utf8.span).flatMap { HeaderMember(rawValue: $0) }
    }

    /// Whether only the library writes members of this name.
    package static func isReserved(_ name: String) -> Bool {
        named(name).map { $0.standing != .free } ?? false
    }

    /// Header parameters of the IANA registry, as it was on 5 February 2026, that this library has
    /// no rule for: RFC 8225, RFC 8555, RFC 9321, IHE ITI, OpenID for Verifiable Presentations,
    /// RFC 6749, OpenID Federation.
    private static let otherRegistered: [StaticString] = [
        "ppt", "url", "nonce", "svt", "iheSSId", "jwt", "client_id", "trust_chain",
        "peer_trust_chain",
    ]

    /// Those that a draft asks the registry for, which are no extensions of a caller either: JOSE
    /// with HPKE.
    private static let requested: [StaticString] = ["ek", "psk_id"]

    /// Whether the IANA registry of JOSE header parameters has this name, or is to have it, so that
    /// it is no extension of a caller.
    package static func isRegistered(_ name: String) -> Bool {
        named(name) != nil
            || (otherRegistered + requested).contains { name.isExactly($0) }
    }
}
