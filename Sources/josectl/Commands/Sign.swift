// josectl sign: signs a payload, as a compact JWS or in a JSON serialisation.

import JOSE
import JOSEBytes

extension Option {
    static let header = value("header", "JSON", "more members of the protected header")
    static let type = value("typ", "TYPE", "typ of the header, such as JWT")
    static let contentType = value("cty", "TYPE", "cty of the header")
    static let form = choice("form", "FORM", TokenForm.allCases.map(\.rawValue)) {
        "\($0) (default compact)"
    }
    static let unprotected = value(
        "unprotected", "JSON", "unprotected header, for a JSON form")
}

extension Command {
    static let sign = Command(
        name: "sign",
        summary: "sign a payload as a JWS, compact or JSON",
        arguments: "[FILE]", maxArguments: 1,
        details: """
            With --form general, each --key makes a signature. --unencoded makes a JWS with b64 \
            false (RFC 7797), never a JWT.
            """,
        options: [
            .value(
                "key", "FILE|URI", privateKeyHelp, repeats: true),
            .keyID, .signature,
            .type, .contentType, .header, .form, .unprotected,
            .flag("detached", "omit the payload from the token"),
            .flag("unencoded", "sign the payload without base64url (b64 false)"), .out, .force,
            .maxBytes,
        ] + Option.externalKey,
        example: """
            echo hello | josectl sign --key private.jwks > token.jws
            echo hello | josectl sign --form general --key a.jwks --key b.jwks > token.json
            """
    ) { invocation in
        let line = invocation.line
        let limits = try JOSELimits(line)
        _ = try line.required("key")
        let unprotected = try invocation.unprotected()
        var signers: [SignJob.Signer] = []
        for key in line.all("key") {
            signers.append((try await invocation.signer(key, limits), unprotected))
        }
        let job = SignJob(
            signers: signers, form: invocation.form, isDetached: line.has("detached"),
            encoding: line.has("unencoded") ? .unencoded : .base64URL, limits: limits)
        let payload = try invocation.payload(limits)
        return try invocation.writeResult(
            token: try await job.run(payload), form: job.form)
    }
}

extension Invocation {
    nonisolated(nonsending) fileprivate func signer(_ path: String, _ limits: JOSELimits)
        async throws -> JWSSigner
    {
        let (key, algorithm) = try await signingKey(path, named: "kid")
        return try JWSSigner(key: key, algorithm: algorithm, header: header(), limits: limits)
    }

    /// `option` is the name of the option for the kid. Without `--alg`, uses the key's alg.
    nonisolated(nonsending) func signingKey(
        _ path: String, named option: String
    ) async throws -> (JWK, SignatureAlgorithm) {
        let chosen = try algorithm("alg", SignatureAlgorithm.self)
        let key = try await ownKeys(path).pick(
            line[option],
            (chosen.map { [$0] } ?? SignatureAlgorithm.all).map(KeyQuery.signing),
            option: option, isPrivate: true)
        return (key, try chosen ?? key.signingAlgorithm(nil, option: "--alg"))
    }

    var form: TokenForm { line["form"].flatMap(TokenForm.init(rawValue:)) ?? .compact }

    func unprotected() throws -> [String: JSONValue] {
        guard let text = line["unprotected"] else { return [:] }
        guard let document = try? JSONDocument(Array(text.utf8), maxDepth: 32),
            document.kind(at: 0) == .object
        else { throw UsageError("--unprotected is not a strict JSON object") }
        return try ClaimsDecoder.decode([String: JSONValue].self, from: document, at: 0)
    }

    func header() throws -> HeaderParameters {
        var header = HeaderParameters()
        if let text = line["header"] {
            do {
                let document = try JSONDocument(Array(text.utf8), maxDepth: 32)
                header = try HeaderParameters(document, at: 0)
            } catch is JSONError {
                throw UsageError("--header is not strict JSON")
            }
        }
        header.type = line["typ"] ?? header.type
        header.contentType = line["cty"] ?? header.contentType
        return header
    }
}
