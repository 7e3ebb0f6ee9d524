// From a case of a vector file to the request that runs it, or the reason why nothing can.

import JOSE
import JOSEBytes

extension VectorCase {
    /// Algorithms that are rejected on purpose.
    private static let never: Set<String> = ["RSA1_5", "none"]

    /// The line for batch.
    func request() throws -> [UInt8] {
        var writer = JSONWriter(capacity: 4_096)
        try writer.object { writer in
            switch kind {
            case "jws", "jws-unsecured", "jws-detached", "jws-b64false": try verify(&writer)
            case "jws-json": try verifyJSON(&writer)
            case "jwe": try decrypt(&writer)
            case "jwe-json": try decryptJSON(&writer)
            case "jwt" where file.profile("clock") != nil: try claims(&writer)
            case "jwt": try verify(&writer)
            case "nested": try nested(&writer)
            case "jwks": try keySet(&writer)
            case "jwk": try key(&writer)
            case "thumbprint", "thumbprint-uri": try thumbprint(&writer)
            default: throw NotRun(kind)
            }
        }
        return writer.bytes
    }

    /// Whether the case is one that no policy here accepts.
    var isNever: Bool { input("alg").map(VectorCase.never.contains) ?? (kind == "jws-unsecured") }

    // MARK: parts of requests

    /// The operation, and a token in the first of the members that the case has.
    private func begin(
        _ operation: String, _ names: StaticString..., to writer: inout JSONWriter
    ) throws {
        guard let token = names.lazy.compactMap(value).first else {
            throw NotRun(names.count > 2 ? "no JSON token" : "no compact token")
        }
        writer.member("op", operation)
        writer.member("token", json: token)
    }

    /// An allow-list of rows, each of which must be here.
    private func allow<Row: AlgorithmEntry>(
        _ member: StaticString, _: Row.Type, _ names: [String], _ writer: inout JSONWriter
    ) throws {
        for name in names where Row(name: name) == nil { throw NotRun(name) }
        writer.names(member, names)
    }

    private func write(
        _ member: StaticString, _ name: String?, onlyPublic: Bool, _ writer: inout JSONWriter
    ) throws {
        guard let key = name.flatMap({ file.key($0, onlyPublic: onlyPublic) }) else {
            throw NotRun("no key")
        }
        writer.member(member, json: key)
    }

    private func writeSet(
        _ member: StaticString, _ names: [String], onlyPublic: Bool, _ writer: inout JSONWriter
    ) throws {
        let keys = names.compactMap { file.key($0, onlyPublic: onlyPublic) }
        guard keys.count == names.count else { throw NotRun("no key") }
        writer.member(member) { writer in
            writer.name("keys")
            writer.beginArray()
            for key in keys { writer.raw(key.span) }
            writer.endArray()
        }
    }

    // MARK: signatures

    /// A compact token; its payload may come separately, or be in it as it is.
    private func verify(_ writer: inout JSONWriter) throws {
        try begin("jws.verify", "compact", "compact_detached", to: &writer)
        guard !isNever, let name = input("key"), let algorithm = input("alg") else {
            // Whatever the key is, the token must not pass.
            return writer.member("key", json: KnownToken.rs256?.key ?? [])
        }
        try allow("algs", SignatureAlgorithm.self, [algorithm], &writer)
        try write("key", name, onlyPublic: true, &writer)
        guard kind == "jws-detached" || kind == "jws-b64false" else { return }
        if let payload = value("detached_payload_b64u") {
            writer.member("detached_payload", json: payload)
        } else if let payload = input("payload_text") {
            writer.member("detached_payload", Base64URL.encodeToString(payload.utf8.span))
        }
        if kind == "jws-b64false" { writer.member("b64", false) }
    }

    /// A flattened or general token, by the first of its keys.
    private func verifyJSON(_ writer: inout JSONWriter) throws {
        try begin("jws.verify", "json", "general", "flattened", to: &writer)
        guard file.profile("clock") == nil else {
            // The catalogue's policy asks for all signatures, and knows both signers.
            writer.names("algs", ["RS256"])
            writer.member("signatures", "all")
            return try writeSet("keys", ["sig", "sender"], onlyPublic: true, &writer)
        }
        guard let algorithm = input("alg") ?? texts("algs").first else { throw NotRun("no key") }
        try allow("algs", SignatureAlgorithm.self, [algorithm], &writer)
        // Examples that have `alg` outside the protected header (RFC 7520, 4.7 and 4.8).
        if ["rfc7520-4.7-jws", "rfc7520-4.8-jws"].contains(where: id.hasPrefix) {
            writer.member("unprotected_alg", true)
        }
        try write("key", input("key") ?? texts("keys").first, onlyPublic: true, &writer)
    }

    // MARK: encryption

    private func decrypt(_ writer: inout JSONWriter) throws {
        guard input("allowed") == nil else { throw NotRun("another algorithm than the profile's") }
        guard let name = input("key"), let algorithm = input("alg") else { throw NotRun("no key") }
        let content = input("enc")
        guard content != nil || KeyManagementAlgorithm(name: algorithm)?.integratedContent != nil
        else { throw NotRun("no content encryption") }
        try begin("jwe.decrypt", "compact", to: &writer)
        if file.profile("compression") == nil || input("compression") == "on" {
            writer.names("zips", ["DEF"])
        }
        // The profile speaks of its own key: one with another, such as a password, brings its algorithm.
        if !isNever, KeyManagementAlgorithm(name: algorithm) != nil, file.profileKey == name,
            let algorithms = file.profile("key_management_algs"),
            let contents = file.profile("content_algs")
        {
            writer.member("algs", json: algorithms)
            writer.member("encs", json: contents)
        } else if !isNever {
            try allow("algs", KeyManagementAlgorithm.self, [algorithm], &writer)
            if let content {
                try allow("encs", ContentEncryptionAlgorithm.self, [content], &writer)
            }
        }
        try write("key", name, onlyPublic: false, &writer)
    }

    /// A flattened or general token, by the last of its keys: the first of two examples is for
    /// RSA1_5.
    private func decryptJSON(_ writer: inout JSONWriter) throws {
        guard let algorithm = input("alg") ?? texts("algs").last else {
            throw NotRun("no JSON token")
        }
        try begin("jwe.decrypt", "json", "general", "flattened", to: &writer)
        if !isNever {
            try allow("algs", KeyManagementAlgorithm.self, [algorithm], &writer)
            // The hostile cases do not say what encrypts the content: any of these.
            let contents =
                input("enc").map { [$0] } ?? ContentEncryptionAlgorithm.all.map(\.description)
            try allow("encs", ContentEncryptionAlgorithm.self, contents, &writer)
        }
        try write("key", input("key") ?? texts("keys").last, onlyPublic: false, &writer)
    }

    // MARK: tokens that are judged by the file's profile

    private func claims(_ writer: inout JSONWriter) throws {
        guard value("repeat") == nil else { throw NotRun("replay") }
        if let key = value("jwk") {
            try begin("jws.verify", "compact", to: &writer)
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
        let set = value("jwks")
        guard value("compact") != nil else {
            guard let set else { throw NotRun("no set") }
            writer.member("op", "jwks.parse")
            return writer.member("jwks", json: set)
        }
        try profiled(&writer, layers: ["signed"])
        writer.name("verification_keys")
        // The exact text may be no JSON at all: the whole line is rejected then.
        let text = input("jwks_text").map { Array($0.utf8) } ?? set ?? Array("null".utf8)
        writer.raw(text.span)
    }

    private func profiled(_ writer: inout JSONWriter, layers: [String]) throws {
        try begin("jwt.open", "compact", to: &writer)
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
            writer.member("max_lifetime", 86_400)
            let isForReplay = id.hasPrefix("s107-")
            writer.names(
                "required", isForReplay ? ["exp", "jti"] : ["exp", "iat", "sub", "nonce"])
        }
        for name: StaticString in ["access_token", "at_hash_required"] {
            if let value = value(name) { writer.member(name, json: value) }
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
        if let algorithm = input("alg"), SignatureAlgorithm(name: algorithm) == nil {
            throw NotRun(algorithm)
        }
        writer.member("op", "jwk.parse")
        writer.member("jwk", json: key)
    }

    private func thumbprint(_ writer: inout JSONWriter) throws {
        guard !isHostile else { throw NotRun("comparison of thumbprints") }
        writer.member("op", "thumbprint")
        try write("jwk", input("key"), onlyPublic: true, &writer)
        if let hash = value("hash") { writer.member("hash", json: hash) }
    }
}
