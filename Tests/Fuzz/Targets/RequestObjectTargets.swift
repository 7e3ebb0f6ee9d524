// Request objects of a client, and the URLs from which they may be fetched.

import Foundation
import JOSE
import JOSEBytes
import JOSEOpenID

extension FuzzTarget {
    /// Claims that the client signed: the request that they contain.
    static let requestObject = FuzzTarget("request-object") { bytes in
        guard let token = try accepted({ try signedObject(bytes) }) else { return }
        guard let object = try bounded(bytes, { try RequestObjectParameters(token) }) else {
            return
        }
        // The same members in the simplest way: each is a claim, a parameter or kept unchanged.
        guard let read = foundationMembers(of: bytes) else { return }
        let names = Set(object.parameters.all.map(\.name))
        for parameter in object.parameters.all {
            // Foundation drops a byte order mark at the start of a text and after an escape.
            let isMarked = parameter.name.unicodeScalars.contains("\u{feff}")
            try hold(isMarked || read[parameter.name] != nil, "a parameter that is not there")
            try hold(
                parameter.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f },
                "a control character in a parameter")
        }
        for name in ["iss", "aud", "exp", "nbf", "iat", "jti", "request", "request_uri"] {
            try hold(!names.contains(name), "a claim became a parameter")
        }
        guard !object.others.isEmpty else { return }
        let others = try ClaimsDecoder.decode(
            JSONValue.self, from: Array(object.others.utf8), maxDepth: 128)
        for (name, value) in others.object ?? JSONObject() {
            try hold(token[name] == value, "a member changed")
            if let text = names.contains(name) ? object.parameters[name] : nil {
                try hold(value.string == text, "a text that is kept twice differs")
            }
        }
    }

    /// URLs below a prefix, as a second URL parser sees them.
    static let address = FuzzTarget("address") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for (prefix, path) in [("https://rp.example/a/b", ["a", "b"]), ("https://rp.example", [])] {
            let rule = RequestURIRule.below(prefix)
            guard try bounded(bytes, { rule.allows(text) }) == true else { continue }
            guard let parts = URLComponents(string: text) else {
                throw Broken(description: "an address that Foundation cannot read")
            }
            try hold(parts.scheme == "https", "another scheme")
            try hold(parts.host?.lowercased() == "rp.example", "another host")
            try hold(parts.port ?? 443 == 443, "another port")
            try hold(
                parts.user == nil && parts.password == nil && parts.fragment == nil,
                "a user or a fragment")
            guard let url = parts.url?.standardized else { throw Broken(description: "no URL") }
            let segments = url.path(percentEncoded: false).split(separator: "/").map(String.init)
            try hold(Array(segments.prefix(path.count)) == path, "outside the prefix")
            try hold(
                !parts.percentEncodedPath.contains("%") && !segments.contains(".."), "a trick")
        }
    }

    static func signedObject(_ claims: [UInt8]) throws -> VerifiedJWT {
        let token = try objectIssuer.get().issue(json: claims)
        return try objectVerifier.get().verify(token)
    }

    private static let objectIssuer = Result {
        try JWTIssuer(key: Known.client, algorithm: .rs256, requiresExpiration: false)
    }

    private static let objectVerifier = Result {
        var policy = ClaimsPolicy(issuer: .any, audience: .any)
        policy.requiredClaims = []
        return try JWTVerifier(
            policy: policy, signature: .required(key: Known.client.publicKey, algorithms: [.rs256]))
    }
}
