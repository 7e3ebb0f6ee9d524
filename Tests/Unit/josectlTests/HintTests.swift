// Errors of open, verify, decrypt and explain name the deciding option, and the options work as
// described.

import Foundation
import JOSE
import Testing

@testable import josectl

@Suite struct HintTests {
    private let open = [
        "open", "--decryption-keys", "private.jwks", "--verification-keys", "public.jwks",
    ]
    private let signedOnly = ["open", "--layers", "signed", "--verification-keys", "public.jwks"]

    private func base64URL(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func sealed(_ tool: Tool) throws -> String {
        try tool.run(
            ["seal", "--signing-key", "private.jwks", "--encryption-key", "public.jwks"],
            input: Data(#"{"exp":4000000000}"#.utf8)
        ).token
    }

    private func signed(_ tool: Tool, _ options: String...) throws -> String {
        try tool.run(
            ["sign", "--key", "private.jwks"] + options, input: Data(#"{"exp":4000000000}"#.utf8)
        ).token
    }

    @Test("Every setting has a hint in some command, and hints name only that command's options")
    func table() {
        let names = ["open", "verify", "decrypt", "explain", "inspect"]
        for setting in JOSEError.Setting.allCases {
            let rejection = Rejection(JOSEError.malformed(.token, "x").withSetting(setting))
            let hints = names.map { hint(rejection, $0) }
            #expect(hints.contains { $0 != nil }, "\(setting)")
            for (name, hint) in zip(names, hints) {
                guard let hint, let command = Command.all.first(where: { $0.name == name }) else {
                    continue
                }
                guard !hint.hasPrefix("josectl ") else { continue }
                for option in hint.split(separator: " ") where option.hasPrefix("--") {
                    #expect(
                        command.options.contains { "--\($0.name)" == option }, "\(name): \(hint)")
                }
            }
            #expect(hint(rejection, "batch") == nil || setting != .type)
            #expect(hint(rejection, "") == nil)
        }
        #expect(hint(Rejection(JOSEError.malformed(.token, "x")), "verify") == nil)
    }

    @Test("Tokens of other kinds and serializations: the error, and the option if there is one")
    func kinds() throws {
        let tool = try Tool.withKeys()
        let (nested, jws) = (try sealed(tool), try signed(tool))
        let claims = base64URL("{}")
        func header(_ text: String) -> String { base64URL(text) + "." + claims + ".AAAA" }
        let verify = ["verify", "--key", "public.jwks"]
        let decrypt = ["decrypt", "--key", "private.jwks"]
        let rows: [([String], String, String)] = [
            (open, jws, "--layers signed"), (signedOnly, nested, "--layers encrypted,signed"),
            (verify, nested, "josectl decrypt"), (decrypt, jws, "josectl verify"),
            (verify + ["--form", "json"], jws, "--form compact"),
            (verify, #"{"payload":""}"#, "--form json"), (open, #"{"payload":""}"#, "JSON"),
            (verify, header(#"{"alg":"RS256","crit":["x"],"x":1}"#), "--crit"),
            (signedOnly, header(#"{"alg":"RS256","crit":["x"],"x":1}"#), "--crit"),
            (verify, header(#"{"alg":"RS256","b64":false,"crit":["b64"]}"#), "--unencoded"),
            (signedOnly, header(#"{"alg":"RS256","b64":false,"crit":["b64"]}"#), "--unencoded"),
            (verify, header(#"{"alg":"RS512"}"#), "--alg"),
            (signedOnly, header(#"{"alg":"RS512"}"#), "--alg"),
            (
                decrypt, base64URL(#"{"alg":"RSA-OAEP-512","enc":"A128GCM"}"#) + ".AA.AA.AA.AA",
                "--alg names the key management"
            ),
            (
                open, base64URL(#"{"alg":"RSA-OAEP-512","enc":"A128GCM"}"#) + ".AA.AA.AA.AA",
                "--key-alg"
            ),
            (
                open, base64URL(#"{"alg":"RSA-OAEP-256","enc":"A192CBC-HS384"}"#) + ".AA.AA.AA.AA",
                "--enc"
            ),
            (
                open,
                base64URL(#"{"alg":"RSA-OAEP-256","enc":"A128GCM","zip":"DEF"}"#) + ".AA.AA.AA.AA",
                "--zip"
            ),
            (verify + ["--max-bytes", "20"], "token", "20"),
        ]
        try tool.write(jws, to: "token")
        for (command, token, words) in rows {
            let response = try tool.run(
                command + [token == "token" ? token : "-"], input: Data(token.utf8))
            #expect(
                response.code != 0 && response.error.contains(words), "\(words): \(response.error)")
        }
        for token in ["Bearer " + jws, "\t" + jws, "\"\(jws)\"", "'\(jws)'", jws + "\r\n\r\n"] {
            let response = try tool.run(signedOnly + ["-"], input: Data(token.utf8))
            #expect(
                response.code == 1 && response.error.contains("not base64url"), "\(response.error)")
        }
        #expect(try tool.run(signedOnly + ["-"], input: Data((jws + "\r\n").utf8)).code == 0)
        let padded = try tool.run(["inspect", "-"], input: Data((jws + "==").utf8))
        #expect(padded.code == 0 || padded.error.contains("padding"))
    }

    @Test("open --cty absent accepts a nested token without cty, and no other cty")
    func contentType() throws {
        let tool = try Tool.withKeys()
        let jws = try signed(tool)
        func encrypted(_ options: String...) throws -> String {
            try tool.run(
                ["encrypt", "--key", "public.jwks", "--alg", "RSA-OAEP-256"] + options,
                input: Data(jws.utf8)
            ).token
        }
        let bare = try encrypted()
        let rejected = try tool.run(open + [bare])
        #expect(rejected.code == 1 && rejected.error.contains("--cty absent"), "\(rejected.error)")
        let json = try tool.run(open + ["--json", bare])
        #expect(json.text.contains(#""hint":"--cty absent"#), "\(json.text)")
        let reported = try tool.run(["explain"] + open.dropFirst() + [bare])
        #expect(reported.code == 1 && reported.text.contains("--cty absent"), "\(reported.text)")
        #expect(try tool.run(open + ["--cty", "absent", bare]).code == 0)
        #expect(try tool.run(open + ["--cty", "jwt", bare]).code == 1)
        #expect(try tool.run(open + ["--cty", "any", bare]).code == 2)
        let nested = try sealed(tool)
        for rule in ["jwt", "absent"] {
            #expect(try tool.run(open + ["--cty", rule, nested]).code == 0)
        }
        let other = try encrypted("--cty", "json")
        if !other.isEmpty {
            #expect(try tool.run(open + ["--cty", "absent", other]).code == 1)
        }
    }

    @Test("--trusted-audiences is named for a foreign azp or aud, and accepts them")
    func trustedAudiences() throws {
        let tool = try Tool.withKeys()
        let command = signedOnly + ["--authorized-party", "app", "--audience", "app"]
        for claims in [
            #"{"exp":4000000000,"aud":"app","azp":"other"}"#,
            #"{"exp":4000000000,"aud":["app","other"]}"#,
        ] {
            let token = try tool.run(
                ["sign", "--key", "private.jwks"], input: Data(claims.utf8)
            ).token
            let rejected = try tool.run(command + [token])
            #expect(
                rejected.code == 1 && rejected.error.contains("(--trusted-audiences)"),
                "\(rejected.error)")
            let accepted = try tool.run(command + ["--trusted-audiences", "other", token])
            #expect(accepted.code == 0, "\(accepted.error)")
        }
    }

    @Test("--crit accepts extensions that the header has, never registered names") func critical()
        throws
    {
        let tool = try Tool.withKeys()
        let names = ["alg", "kid", "b64", "typ", "exp2"]
        let token = try signed(tool)
        for name in names {
            let response = try tool.run(["verify", "--key", "public.jwks", "--crit", name, token])
            #expect(response.code == (name == "exp2" ? 0 : 2), "\(name): \(response.error)")
        }
        let header = base64URL(#"{"alg":"RS256","crit":["https://a.example/x","y"],"y":1}"#)
        let response = try tool.run(
            ["verify", "--key", "public.jwks", "--crit", "https://a.example/x", "--crit", "y"]
                + [header + ".e30.AAAA"])
        #expect(response.code == 1 && response.error.contains("malformed at header: crit"))
    }

    @Test("Without --alg the key's own alg applies, EdDSA included, for that key only")
    func ownAlgorithm() throws {
        let tool = try Tool()
        let named = try JWK.generate(.curve(.ed25519), keyID: "named", algorithm: "EdDSA")
        let bare = try JWK.generate(.curve(.ed25519), keyID: "bare")
        let full = try JWK.generate(.curve(.ed25519), keyID: "full", algorithm: "Ed25519")
        let secret = try JWK(
            symmetricKey: [UInt8](repeating: 7, count: 32), keyID: "secret", algorithm: "HS256")
        let set = try JWKSet(keys: [named, bare, full]).publicKeys.json()
        try tool.write(set, to: "set")
        try tool.write(secret.privateJSON(), to: "secret")
        func verify(_ key: JWK, _ algorithm: SignatureAlgorithm, _ options: String...) throws
            -> Response
        {
            var free = key
            free.algorithm = nil
            let token = try JWSSigner(key: free, algorithm: algorithm).sign("x")
            let file = key.keyType == .oct ? "secret" : "set"
            return try tool.run(["verify", "--key", file] + options + [token])
        }
        #expect(try verify(named, .edDSA).code == 0)
        #expect(try verify(full, .ed25519).code == 0)
        #expect(try verify(bare, .ed25519).code == 0)
        #expect(try verify(secret, .hs256).code == 0)
        let unnamed = try verify(bare, .edDSA)
        #expect(unnamed.code == 1 && unnamed.error.contains("has no alg"), "\(unnamed.error)")
        #expect(try verify(bare, .edDSA, "--alg", "EdDSA").code == 0)
        let older = try verify(full, .edDSA)
        #expect(
            older.code == 1 && older.error.contains("alg is Ed25519; the token's is EdDSA"),
            "\(older.error)")
        let newer = try verify(named, .ed25519)
        #expect(
            newer.code == 1 && newer.error.contains("alg is EdDSA; the token's is Ed25519"),
            "\(newer.error)")
        #expect(try verify(named, .edDSA, "--alg", "RS256").code == 1)
        try tool.write(JWKSet(keys: [full, bare]).publicKeys.json(), to: "set")
        let other = try verify(full, .edDSA)
        #expect(other.code == 1 && other.error.contains("--alg"), "\(other.error)")
    }
}

/// The hint of the command with this name.
private func hint(_ rejection: Rejection, _ name: String) -> String? {
    let command = Command.all.first { $0.name == name }
    return OptionHint.text(rejection, options: command?.options.map(\.name))
}
