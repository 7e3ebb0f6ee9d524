// JWKs as JSON, with chosen metadata and the numbers of a test key.

import JOSE
import Testing

enum KeyText {
    /// The public JWK with these further members, given as JSON: `"kid":"a","use":"sig"`.
    static func publicKey(_ members: String = "", _ key: JWK = TestKeys.signing) throws -> String {
        try text(TestKeys.bare(key).publicJSON(), members)
    }

    /// The private JWK with these further members.
    static func privateKey(_ members: String = "", _ key: JWK = TestKeys.signing) throws -> String {
        try text(TestKeys.bare(key).privateJSON(), members)
    }

    static func set(_ keys: [String]) -> String {
        "{\"keys\":[\(keys.joined(separator: ","))]}"
    }

    /// An EC key of RFC 7517 appendix A.1.
    static func elliptic(_ members: String) -> String {
        """
        {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4",\
        "y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM",\(members)}
        """
    }

    private static func text(_ json: String, _ members: String) throws -> String {
        members.isEmpty ? json : "{" + members + "," + json.dropFirst()
    }

    /// The members of a JWK by name, for edits.
    static func members(_ json: String) throws -> [String: VectorValue] {
        try need(VectorValue(json: json).object)
    }
}
