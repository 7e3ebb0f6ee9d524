// josectl demo: the whole story on one screen, without network or files.

import JOSE
import JOSEBytes

extension Command {
    static let demo = Command(
        name: "demo",
        summary: "the whole story on one screen: keys, a nested token, a tampered one refused",
        details: "Everything is made in memory; nothing is read, written or sent.",
        options: [],
        example: "josectl demo"
    ) { invocation in
        var demo = try Demo(invocation.output)
        try demo.run()
        if invocation.output.isJSON {
            try Descriptor.output.write(try Output.json(demo.write))
        }
        return .accepted
    }
}

/// One run of the story.
private struct Demo {
    private let output: Output
    private let provider: DemoParty
    private let client: DemoParty
    private let claims: DemoClaims
    private var refusals: [(name: String, error: JOSEError)] = []
    private var rates: [(name: StaticString, perSecond: Int)] = []

    init(_ output: Output) throws {
        self.output = output
        provider = try DemoParty("https://op.example")
        client = try DemoParty("https://rp.example")
        claims = DemoClaims(
            iss: provider.name, aud: client.name, sub: "alice", nonce: "n-0S6_WzA2Mj")
    }

    mutating func run() throws {
        try title(1, "Two parties make their keys and publish the public halves as JWK Sets.")
        for party in [provider, client] {
            let kids = [party.signing, party.encryption].map { short($0.keyID ?? "") }
            let bytes = party.published.json().utf8.count
            try say("\(party.name)  RS256 \(kids[0])  RSA-OAEP-256 \(kids[1])  \(bytes) bytes")
        }

        try title(2, "The provider signs claims, then encrypts them for the client: a nested JWT.")
        let token = try provider.issuer.issue(claims, encryptedFor: client.recipient)
        try say("\(short(token, 60))  \(token.utf8.count) bytes")

        try title(3, "The client opens it. Its policy asks for both layers, these keys, this")
        try say("issuer and audience, a lifetime. The token decides nothing.")
        let verifier = try client.verifier(of: provider)
        let opened = try verifier.verify(token, expecting: ClaimsExpectation(nonce: claims.nonce))
        let subject = opened.subject ?? ""
        try say(Paint.good("accepted") + "  sub \(subject), until \(expiry(opened))")

        try title(4, "Tokens that are not what the client asked for:")
        try refuse("one bit of the token changed", changed(token), verifier)
        try refuse("encrypted for the client, signed by a stranger", forged(), verifier)
        try refuse(
            "signed by the provider, not encrypted", provider.issuer.issue(claims), verifier)
        try refuse("an hour after it was made", token, verifier, at: .seconds(3_600))
        try refuse("answers another request", token, verifier, nonce: "n-another")

        try title(5, "This machine, one thread, RSA 2048:")
        try measure(token, verifier)
    }

    private mutating func measure(_ token: String, _ verifier: JWTVerifier) throws {
        let (issuer, recipient) = (try provider.issuer, try client.recipient)
        let signed = try issuer.issue(claims)
        let signature = try JWSVerifier(keys: provider.published, algorithms: [.rs256])
        rates = [
            ("make", try Throughput.measure { try make(issuer, recipient) }),
            ("open", try Throughput.measure { _ = try verifier.verify(token) }),
            ("verify", try Throughput.measure { _ = try signature.verify(signed) }),
        ]
        let words = rates.map { "\($0.name) \(Throughput.written($0.perSecond))/s" }
        try say(Paint.bold("nested: \(words[0]), \(words[1]);  signature alone: \(words[2])"))
    }

    private func make(_ issuer: JWTIssuer, _ recipient: JWTRecipient) throws {
        _ = try issuer.issue(claims, encryptedFor: recipient)
    }

    // MARK: hostile tokens

    private mutating func refuse(
        _ what: String, _ token: String, _ verifier: JWTVerifier, at later: Duration = .zero,
        nonce: String? = nil
    ) throws {
        do {
            _ = try verifier.verify(
                token, expecting: ClaimsExpectation(nonce: nonce ?? claims.nonce),
                at: NumericDate.now.advanced(by: later))
        } catch {
            refusals.append((what, error))
            let code = error.code.name + (error.claim.map { " " + $0 } ?? "")
            try say("\(Paint.bad("refused"))  \(padded(what, 47)) \(code)")
            return
        }
        throw Refusal(.internal, step: "call", message: "a token was accepted: \(what)")
    }

    /// The token with one bit of its ciphertext changed.
    private func changed(_ token: String) throws -> String {
        var parts = token.split(separator: ".").map(String.init)
        guard parts.count == 5, var bytes = Base64URL.decode(parts[3].utf8.span), !bytes.isEmpty
        else { return "" }
        bytes[bytes.count / 2] ^= 1
        parts[3] = Base64URL.encodeToString(bytes.span)
        return parts.joined(separator: ".")
    }

    /// The same claims, signed by somebody who took the provider's kid.
    private func forged() throws -> String {
        let stranger = try JWK.generate(
            keyID: provider.signing.keyID, use: .signature, algorithm: "RS256")
        let issuer = try JWTIssuer(signingWith: stranger, algorithm: .rs256, lifetimeSeconds: 300)
        return try issuer.issue(claims, encryptedFor: client.recipient)
    }

    // MARK: words

    private func title(_ number: Int, _ text: String) throws {
        guard !output.isJSON else { return }
        if number > 1 { try output.line() }
        try output.line(Paint.bold("\(number)  \(text)"))
    }

    private func say(_ text: String) throws {
        if !output.isJSON { try output.line("   " + text) }
    }

    private func expiry(_ token: VerifiedJWT) -> String {
        token["exp"]?.integer.flatMap { NumericDate(exactly: $0) }.map(Timestamp.write) ?? ""
    }

    private func short(_ text: String, _ count: Int = 8) -> String { text.prefix(count) + "…" }

    func write(to writer: inout JSONWriter) {
        writer.name("refused")
        writer.beginArray()
        for (name, error) in refusals {
            writer.beginObject()
            writer.member("what", name)
            writer.member("code", error.code.name)
            writer.endObject()
        }
        writer.endArray()
        writer.name("per_second")
        writer.beginObject()
        for (name, perSecond) in rates {
            writer.name(name)
            writer.integer(Int64(perSecond))
        }
        writer.endObject()
    }
}
