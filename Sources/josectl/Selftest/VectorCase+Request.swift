// From a case of a vector file to the request that runs it, or the reason why nothing can.

import JOSE
import JOSEBytes

extension VectorCase {
    /// Algorithms that are refused on purpose.
    private static let never: Set<String> = ["RSA1_5", "none"]

    /// The line for batch.
    func request() throws -> [UInt8] {
        var writer = JSONWriter(capacity: 4_096)
        writer.beginObject()
        switch kind {
        case "jws", "jws-unsecured": try verify(&writer)
        case "jws-json": try verifyJSON(&writer)
        case "jwe-json": try decryptJSON(&writer)
        case "jws-detached", "jws-b64false": try verifyApart(&writer)
        case "jwt" where file.profile("clock") != nil: try claims(&writer)
        case "jwt": try verify(&writer)
        case "nested": try nested(&writer)
        case "jwks": try keySet(&writer)
        case "jwe": try decrypt(&writer)
        case "jwk": try key(&writer)
        case "thumbprint", "thumbprint-uri": try thumbprint(&writer)
        default: throw NotRun(kind)
        }
        writer.endObject()
        return writer.bytes
    }

    /// Whether the case is one that no policy here accepts.
    var isNever: Bool { input("alg").map(VectorCase.never.contains) ?? (kind == "jws-unsecured") }

    private func token(_ writer: inout JSONWriter) throws {
        guard let token = value("compact") else { throw NotRun("no compact token") }
        writer.name("token")
        writer.raw(token.span)
    }

    private func verify(_ writer: inout JSONWriter) throws {
        writer.member("op", "jws.verify")
        try token(&writer)
        guard !isNever, let name = input("key"), let algorithm = input("alg") else {
            // Whatever the key is, the token must not pass.
            return writer.member("key", json: KnownToken.rs256?.key ?? [])
        }
        try need(SignatureAlgorithm.self, algorithm)
        writer.names("algs", [algorithm])
        try write("key", name, onlyPublic: true, &writer)
    }

    private func decrypt(_ writer: inout JSONWriter) throws {
        guard input("allowed") == nil else { throw NotRun("another algorithm than the profile's") }
        guard let name = input("key"), let algorithm = input("alg") else { throw NotRun("no key") }
        let content = input("enc")
        guard content != nil || KeyManagementAlgorithm.named(algorithm)?.integratedContent != nil
        else { throw NotRun("no content encryption") }
        writer.member("op", "jwe.decrypt")
        try token(&writer)
        if file.profile("compression") == nil || input("compression") == "on" {
            writer.names("zips", ["DEF"])
        }
        guard !isNever else { return try write("key", name, onlyPublic: false, &writer) }
        try need(KeyManagementAlgorithm.self, algorithm)
        // The profile speaks of its own key: one with another, such as a password, brings its algorithm.
        if let algorithms = file.profile("key_management_algs"),
            let contents = file.profile("content_algs"), file.profileKey == name
        {
            writer.member("algs", json: algorithms)
            writer.member("encs", json: contents)
        } else {
            writer.names("algs", [algorithm])
            if let content {
                try need(ContentEncryptionAlgorithm.self, content)
                writer.names("encs", [content])
            }
        }
        try write("key", name, onlyPublic: false, &writer)
    }

    // MARK: tokens that are judged by the file's profile

    private func claims(_ writer: inout JSONWriter) throws {
        guard value("repeat") == nil else { throw NotRun("replay") }
        if let key = value("jwk") {
            writer.member("op", "jws.verify")
            try token(&writer)
            writer.names("algs", ["RS256"])
            return writer.member("key", json: key)
        }
        guard let name = input("key") else { throw NotRun("no key") }
        try profiled(&writer, layers: ["signed"])
        try writeSet("verification_keys", [name], onlyPublic: true, &writer)
    }

    private func nested(_ writer: inout JSONWriter) throws {
        guard let name = input("key"), let inner = input("inner_key"),
            let algorithms = file.profile("key_management_algs"),
            let contents = file.profile("content_algs")
        else { throw NotRun("no profile") }
        try profiled(&writer, layers: ["encrypted", "signed"])
        writer.member("key_algs", json: algorithms)
        writer.member("encs", json: contents)
        try writeSet("decryption_keys", [name], onlyPublic: false, &writer)
        try writeSet("verification_keys", [inner], onlyPublic: true, &writer)
    }

    /// Whether the input is the exact text of a set, which no JSON writer would write.
    var hasExactSet: Bool { input("jwks_text") != nil }

    private func keySet(_ writer: inout JSONWriter) throws {
        guard value("compact") != nil else {
            guard let set = value("jwks") else { throw NotRun("no set") }
            writer.member("op", "jwks.parse")
            return writer.member("jwks", json: set)
        }
        try profiled(&writer, layers: ["signed"])
        writer.name("verification_keys")
        if let text = input("jwks_text") {
            // The exact text, which may be no JSON at all: the whole line is refused then.
            writer.raw(text.utf8.span)
        } else {
            let set = value("jwks") ?? Array("null".utf8)
            writer.raw(set.span)
        }
    }

    private func profiled(_ writer: inout JSONWriter, layers: [String]) throws {
        writer.member("op", "jwt.open")
        try token(&writer)
        writer.names("layers", layers)
        for (name, setting) in VectorCase.settings {
            guard let value = file.profile(setting) else { throw NotRun("no profile") }
            writer.member(name, json: value)
        }
        // The control with a second audience: the client trusts it (OpenID Connect Core 3.1.3.7).
        if id == "s105-azp" { writer.names("trusted_audiences", ["https://other.example"]) }
        if let subject = value("expected_sub") {
            // A UserInfo answer: another kind of token, with its own rules.
            writer.member("subject", json: subject)
            writer.names("required", [])
        } else {
            if let nonce = file.profile("nonce") { writer.member("nonce", json: nonce) }
            writer.name("max_lifetime")
            writer.integer(86_400)
            let isForReplay = id.hasPrefix("s107-")
            writer.names(
                "required", isForReplay ? ["exp", "jti"] : ["exp", "iat", "sub", "nonce"])
        }
        if let accessToken = value("access_token") {
            writer.member("access_token", json: accessToken)
        }
        if let required = value("at_hash_required") {
            writer.member("at_hash_required", json: required)
        }
    }

    /// Members of a request and the settings of a profile that they come from.
    private static let settings: [(StaticString, StaticString)] = [
        ("algs", "signature_algs"), ("issuer", "issuer"), ("audience", "audience"),
        ("authorized_party", "audience"), ("now", "clock"), ("leeway", "leeway"),
    ]

    // MARK: keys

    private func key(_ writer: inout JSONWriter) throws {
        guard let key = value("jwk") ?? input("key").flatMap({ file.key($0, onlyPublic: false) })
        else { throw NotRun("no key") }
        // Named where a libcrypto without it cannot say what is wrong with the key.
        if let algorithm = input("alg") { try need(SignatureAlgorithm.self, algorithm) }
        writer.member("op", "jwk.parse")
        writer.member("jwk", json: key)
    }

    private func thumbprint(_ writer: inout JSONWriter) throws {
        guard !isHostile else { throw NotRun("comparison of thumbprints") }
        guard let name = input("key"), let key = file.key(name, onlyPublic: true) else {
            throw NotRun("no key")
        }
        writer.member("op", "thumbprint")
        writer.member("jwk", json: key)
        if let hash = value("hash") { writer.member("hash", json: hash) }
    }

    func need<Row: AlgorithmRow>(_: Row.Type, _ name: String) throws {
        guard Row.named(name) != nil else { throw NotRun(name) }
    }

    func write(
        _ member: StaticString, _ name: String, onlyPublic: Bool, _ writer: inout JSONWriter
    ) throws {
        guard let key = file.key(name, onlyPublic: onlyPublic) else { throw NotRun("no key") }
        writer.member(member, json: key)
    }

    func writeSet(
        _ member: StaticString, _ names: [String], onlyPublic: Bool, _ writer: inout JSONWriter
    ) throws {
        try writer.member(member) { writer in
            writer.name("keys")
            writer.beginArray()
            for name in names {
                guard let key = file.key(name, onlyPublic: onlyPublic) else {
                    throw NotRun("no key")
                }
                writer.raw(key.span)
            }
            writer.endArray()
        }
    }
}
