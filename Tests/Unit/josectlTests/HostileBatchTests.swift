// Every hostile request gets a specific error: `internal` is reserved for memory, random numbers
// and the machine.

import Foundation
import JOSE
import Testing

@Suite("Batch, hostile requests")
struct HostileBatchTests {
    private static let operations: Set<String> = [
        "jws.sign", "jws.verify", "jwe.encrypt", "jwe.decrypt", "jwt.seal", "jwt.open", "jwk.parse",
        "jwks.parse", "chain.verify", "thumbprint",
    ]

    @Test("no mutation of a valid batch request causes an internal error")
    func mutations() throws {
        let seeds = try Seeds().requests
        let good = try responses(seeds)
        for (request, response) in zip(seeds, good) where response["ok"] as? Bool != true {
            Issue.record("\(request["op"] ?? "") rejected: \(response["error"] ?? "")")
        }
        #expect(Set(seeds.compactMap { $0["op"] as? String }) == Self.operations)

        let seed = ProcessInfo.processInfo.environment["JOSE_TEST_SEED"].flatMap { UInt64($0) }
        var damage = Damage(seed: seed ?? 20_260_101)
        print("mutations of requests: JOSE_TEST_SEED=\(damage.seed)")
        let requests = (0..<60).flatMap { _ in seeds.map { damage.damaged($0) } }
        var codes: [String: Set<String>] = [:]
        for (request, response) in zip(requests, try responses(requests)) {
            let operation = request["op"] as? String ?? "?"
            let error = response["error"] as? [String: Any]
            let code = error?["code"] as? String ?? "ok"
            codes[operation, default: []].insert(code)
            guard code == "internal" else { continue }
            let text = try JSONSerialization.data(withJSONObject: request)
            Issue.record("seed \(damage.seed): \(String(decoding: text, as: UTF8.self))")
        }
        // Mutations that are always or never detected would make the test meaningless.
        for operation in Self.operations {
            #expect(codes[operation]?.count ?? 0 >= 3, "\(operation): \(codes[operation] ?? [])")
        }
    }

    /// Every member with a keyword, a name or a string. `String` would reorder a million marks to
    /// compare it.
    static let marked: [(request: String, code: String)] = [
        (#"{"op":"MARKS"}"#, "unsupported"),
        (#"{"op":"thumbprint","jwk":{},"MARKS":1}"#, "misuse"),
        (#"{"MARKS":1}"#, "misuse"),
        (#"{"op":"thumbprint","jwk":{},"hash":"MARKS"}"#, "unsupported"),
        (#"{"op":"jwk.parse","jwk":"MARKS"}"#, "limit-exceeded"),
        (#"{"op":"jws.sign","key":KEY,"payload_text":"","alg":"MARKS"}"#, "unsupported"),
        (#"{"op":"jws.sign","key":KEY,"payload_text":"","alg":"HS256","form":"MARKS"}"#, "misuse"),
        (
            #"{"op":"jws.sign","key":KEY,"payload_text":"","alg":"HS256","header":{"MARKS":1}}"#,
            "misuse"
        ),
        (
            #"{"op":"jws.sign","key":KEY,"payload_text":"","alg":"HS256","form":"flattened","#
                + #""unprotected":{"MARKS":1}}"#, "misuse"
        ),
        (#"{"op":"jws.verify","key":KEY,"token":{},"algs":["MARKS"]}"#, "malformed"),
        (#"{"op":"jws.verify","key":KEY,"token":{},"signatures":"MARKS"}"#, "misuse"),
        (#"{"op":"jwe.encrypt","key":KEY,"payload_text":"","alg":"MARKS"}"#, "unsupported"),
        (
            #"{"op":"jwe.encrypt","key":KEY,"payload_text":"","alg":"dir","enc":"MARKS"}"#,
            "unsupported"
        ),
        (#"{"op":"jwt.open","token":"a","layers":["MARKS"]}"#, "misuse"),
        (#"{"op":"chain.verify","anchors":[],"at":"MARKS","jwk":KEY}"#, "misuse"),
        (#"{"op":"chain.verify","anchors":[],"at":1,"jwk":KEY,"purpose":"MARKS"}"#, "misuse"),
    ]

    @Test("a megabyte of combining marks in any member is rejected in linear time")
    func marks() throws {
        let marks = String(repeating: "\u{301}\u{316}", count: 262_144)
        let key = #"{"kty":"oct","k":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}"#
        let lines = Self.marked.map { request, _ in
            request.replacing("KEY", with: key).components(separatedBy: "MARKS")
                .joined(separator: marks) + "\n"
        }
        let start = ContinuousClock.now
        let responses = try Tool().run("batch", input: Data(lines.joined().utf8)).objects()
        // Reordering the marks of one of them takes minutes.
        #expect(ContinuousClock.now - start < .seconds(30))
        #expect(responses.count == Self.marked.count)
        for (response, wanted) in zip(responses, Self.marked) {
            let code = (response["error"] as? [String: Any])?["code"] as? String
            #expect(code == wanted.code, "\(wanted.request)")
        }
    }

    private func responses(_ requests: [[String: Any]]) throws -> [[String: Any]] {
        let response = try Tool().run("batch", "--jobs", "2", input: lines(requests))
        #expect(response.code == 0, "\(response.error)")
        let objects = try response.objects()
        try #require(objects.count == requests.count, "the tool ended early")
        return objects
    }
}

private func lines(_ requests: [[String: Any]]) throws -> Data {
    try requests.reduce(into: Data()) { lines, request in
        lines += try JSONSerialization.data(withJSONObject: request)
        lines.append(0x0a)
    }
}

/// Valid requests to every operation, with every kind of key.
private struct Seeds {
    private(set) var requests: [[String: Any]] = []
    private let now = 1_800_000_000

    init() throws {
        let rsa = [try Self.own(try JWK.generate(.rsa(bits: 2_048)), "rsa")]
        let curves = try JWKCurve.all.map { try Self.own(try JWK.generate(.curve($0)), $0.name) }
        let pairs = try SignatureAlgorithm.all.filter { $0.keyTypes == [.akp] }
            .map { try Self.own(try JWK.generate(.akp($0)), $0.name) }
        let secrets = try [128, 192, 256, 512].map {
            try Self.own(try JWK.generate(.symmetric(bits: $0)), "oct-\($0)")
        }
        let keys = rsa + curves + pairs + secrets
        for key in keys { try addKey(key) }
        requests.append(["op": "jwks.parse", "jwks": ["keys": keys]])
        let signing = try Self.rows(keys, SignatureAlgorithm.all.map { "\($0)" }) {
            ["op": "jws.sign", "key": $0, "alg": $1, "payload_text": "{}"]
        }
        let encrypting = try Self.rows(
            keys.map(Self.theirs),
            KeyManagementAlgorithm.all.map { "\($0)" }.filter { !$0.hasPrefix("PBES2") }
        ) {
            ["op": "jwe.encrypt", "key": $0, "alg": $1, "enc": "A128GCM", "payload_text": "x"]
        }
        try addSignatures(signing, keys)
        try addEncryptions(encrypting, keys)
        try addTokens(rsa[0])
        try addChains()
    }

    private static func own(_ key: JWK, _ keyID: String) throws -> [String: Any] {
        var key = key
        key.keyID = keyID
        return try jsonObject(Data(key.privateJSON().utf8))
    }

    /// The public key, or the shared secret itself.
    private static func theirs(_ key: [String: Any]) -> [String: Any] {
        if key["kty"] as? String == "oct" { return key }
        return key.filter { !["d", "p", "q", "dp", "dq", "qi", "priv"].contains($0.key) }
    }

    /// One request for each algorithm, with the first key that the tool accepts for it.
    private static func rows(
        _ keys: [[String: Any]], _ algorithms: [String],
        _ request: ([String: Any], String) -> [String: Any]
    ) throws -> [(request: [String: Any], token: String)] {
        try algorithms.map { algorithm in
            let all = keys.map { request($0, algorithm) }
            let responses = try ask(all)
            let fitting = responses.firstIndex { $0["ok"] as? Bool == true }
            let place = try #require(fitting, "\(algorithm)")
            return (all[place], try #require(responses[place]["token"] as? String))
        }
    }

    private static func ask(_ requests: [[String: Any]]) throws -> [[String: Any]] {
        try Tool().run("batch", input: lines(requests)).objects()
    }

    private func made(_ request: [String: Any]) throws -> Any {
        let response = try #require(try Self.ask([request]).first)
        return try #require(response["token"], "\(response)")
    }

    private func key(_ id: Any?, _ keys: [[String: Any]]) throws -> [String: Any] {
        try #require(keys.first { $0["kid"] as? String == id as? String })
    }

    private mutating func addKey(_ key: [String: Any]) throws {
        requests.append(["op": "jwk.parse", "jwk": key])
        requests.append(["op": "jwk.parse", "jwk": Self.theirs(key)])
        requests.append(["op": "thumbprint", "jwk": Self.theirs(key), "hash": "sha-512"])
    }

    private mutating func addSignatures(
        _ rows: [(request: [String: Any], token: String)], _ keys: [[String: Any]]
    ) throws {
        for (request, token) in rows {
            let own = try #require(request["key"] as? [String: Any])
            let algorithm = try #require(request["alg"] as? String)
            requests.append(request)
            requests.append(
                ["op": "jws.verify", "token": token, "key": Self.theirs(own), "algs": [algorithm]])
        }
        let signers = [rows[0], rows[rows.count / 2]].map { row in
            row.request.filter { $0.key == "key" || $0.key == "alg" }
                .merging(["unprotected": ["x": 1], "header": ["typ": "JOSE"]]) { $1 }
        }
        let general: [String: Any] = ["op": "jws.sign", "signers": signers, "payload_text": "{}"]
        var detached = general
        (detached["detached"], detached["b64"]) = (true, false)
        detached["signers"] = [signers[0]]
        requests += [general, detached]
        let algorithms = try signers.map { try #require($0["alg"] as? String) }
        for signer in signers {
            let own = try #require(signer["key"] as? [String: Any])
            requests.append([
                "op": "jws.verify", "token": try made(general), "key": Self.theirs(own),
                "signatures": "any", "algs": algorithms,
            ])
        }
        let own = try #require(signers[0]["key"] as? [String: Any])
        requests.append([
            "op": "jws.verify", "token": try made(detached), "key": Self.theirs(own),
            "detached_payload": "e30", "b64": false, "algs": algorithms,
        ])
    }

    private mutating func addEncryptions(
        _ rows: [(request: [String: Any], token: String)], _ keys: [[String: Any]]
    ) throws {
        for (request, token) in rows {
            let theirs = try #require(request["key"] as? [String: Any])
            let own = try key(theirs["kid"], keys)
            let algorithm = try #require(request["alg"] as? String)
            requests.append(request)
            requests.append([
                "op": "jwe.decrypt", "token": token, "key": own, "algs": [algorithm],
                "encs": ["A128GCM"],
            ])
        }
        let wrapping = rows.filter {
            !["dir", "ECDH-ES"].contains($0.request["alg"] as? String ?? "")
        }
        let recipients = [wrapping[0], wrapping[wrapping.count / 2]].map { row in
            row.request.filter { $0.key == "key" || $0.key == "alg" }
                .merging(["header": ["x": 1]]) { $1 }
        }
        let general: [String: Any] = [
            "op": "jwe.encrypt", "recipients": recipients, "enc": "A128CBC-HS256",
            "payload_text": String(repeating: "text", count: 50), "zip": "DEF", "aad": "YWFk",
            "unprotected": ["y": [1, 2]], "form": "general",
        ]
        requests.append(general)
        for recipient in recipients {
            let theirs = try #require(recipient["key"] as? [String: Any])
            requests.append([
                "op": "jwe.decrypt", "token": try made(general),
                "key": try key(theirs["kid"], keys), "algs": [recipient["alg"] ?? ""],
                "encs": ["A128CBC-HS256"], "zips": ["DEF"],
            ])
        }
    }

    private mutating func addTokens(_ rsa: [String: Any]) throws {
        let own = ["keys": [rsa]]
        let theirs = ["keys": [Self.theirs(rsa)]]
        let seal: [String: Any] = [
            "op": "jwt.seal", "signing_key": rsa, "encryption_key": Self.theirs(rsa),
            "claims": ["iss": "i", "aud": ["a", "b"], "exp": now + 60, "iat": now, "nonce": "n"],
            "alg": "PS256", "key_alg": "RSA-OAEP", "enc": "A256GCM",
        ]
        requests.append(seal)
        requests.append([
            "op": "jwt.open", "token": try made(seal), "decryption_keys": own,
            "verification_keys": theirs, "algs": ["PS256"], "key_algs": ["RSA-OAEP"],
            "encs": ["A256GCM"], "issuer": "i", "audience": "a", "nonce": "n", "now": now,
            "max_lifetime": 600, "required": ["exp", "iat"], "leeway": 60,
        ])
    }

    /// The chains that the vectors accept, as keys and as certificates.
    private mutating func addChains() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../Vectors/x5c.json").standardizedFileURL
        let vectors = try jsonObject(Data(contentsOf: file))
        for entry in try #require(vectors["vectors"] as? [[String: Any]]) {
            let input = try #require(entry["input"] as? [String: Any])
            guard var jwk = input["jwk"] as? [String: Any], let chain = jwk["x5c"] as? [String],
                jwk["x5c_repeat"] == nil
            else { continue }
            jwk["kid"] = entry["id"]
            let request: [String: Any] = [
                "op": "chain.verify", "anchors": input["trust_anchors"] ?? [String](),
                "at": input["validation_time"] ?? 0,
                "purpose": input["use"] as? String == "enc" ? "encryption" : "signature",
            ]
            let both = [
                request.merging(["jwk": jwk]) { $1 }, request.merging(["x5c": chain]) { $1 },
                ["op": "jwk.parse", "jwk": jwk],
            ]
            // Some of the vectors are to be rejected. Only the valid ones are of use here.
            let responses = try Self.ask(both)
            requests += zip(both, responses).filter { $1["ok"] as? Bool == true }.map(\.0)
        }
    }
}
