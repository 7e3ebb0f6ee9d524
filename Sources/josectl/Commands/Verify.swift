// josectl verify: verifies a JWS.

import JOSE
import JOSEBytes

extension Command {
    static let verify = Command(
        name: "verify",
        summary: "verify a JWS and write its payload",
        arguments: "[TOKEN|FILE]", maxArguments: 1,
        details: """
            --form json reads flattened and general tokens. Without --signatures, a single key \
            must have made one of the signatures; with a key set, all signatures must be valid by \
            its keys.
            """,
        options: [
            .value("key", "FILE", "signer's public JWK or JWK Set", alias: "keys"),
            .signatures, .readForm,
            .value(
                "signatures", "RULE", "required signatures: any, all, or kids as A,B",
                .suggested(["any", "all"])),
            .flag("unprotected-alg", "accept alg outside the protected header, in JSON"),
            .value("detached", "FILE", "the payload of a token without one"),
            .flag("unencoded", "the payload is not base64url-encoded (b64 false)"), .critical,
            .out, .force, .raw, .maxBytes,
        ],
        example: """
            josectl verify --key public.jwks token.jws
            josectl verify --form json --signatures alice,bob --keys public.jwks token.json
            """
    ) { invocation in
        let line = invocation.line
        let limits = try JOSELimits(line)
        let job = VerifyJob(
            keys: try invocation.verificationKeys(KeyFile(line.required("key"), of: .foreign)),
            algorithms: try invocation.allowList("alg", SignatureAlgorithm.self),
            critical: line.all("crit"), limits: limits)
        let detached = try line["detached"].map {
            try Files.read($0, atMost: 1 << 30, what: "the payload")
        }
        let encodings: [PayloadEncoding] = line.has("unencoded") ? [.unencoded] : [.base64URL]
        guard invocation.readsJSON else {
            guard !line.has("signatures"), !line.has("unprotected-alg") else {
                throw UsageError("--signatures and --unprotected-alg require --form json")
            }
            let token = try invocation.compactToken(limits)
            let verified =
                try invocation.explainingMismatch(job.keys, token, limits) {
                    try detached.map { try job.run(token, detached: $0, encodings) }
                        ?? job.run(whole: token, encodings)
                }
            return try invocation.writeResult(verified.payload, isText: false, .open) {
                try $0.verified(verified)
            }
        }
        let reading = JSONReading(
            requirement: line.list("signatures").map(SignatureRequirement.named),
            detached: detached, encodings: encodings,
            algorithmLocation: line.has("unprotected-alg") ? .anyHeader : .protectedHeader)
        let token = try invocation.jsonToken(limits)
        if detached == nil,
            let read = try? UnverifiedJSONJWS(
                token.utf8.span, limits: limits, critical: line.all("crit")),
            read.payload == nil
        {
            throw Rejection(
                .malformed, step: "token",
                message: "the token has no payload; --detached FILE gives it")
        }
        let verified: VerifiedJSONJWS
        do {
            verified = try job.run(json: token, reading)
        } catch let error as JOSEError {
            // `explain` reads compact tokens only.
            var rejection = Rejection(error)
            rejection.isExplainable = false
            throw rejection
        }
        return try invocation.writeResult(verified.payload, isText: false, .open) {
            try $0.verified(verified)
        }
    }
}

extension VerifyJob {
    /// If the payload of the token may be detached, the error names `--detached`.
    fileprivate func run(
        whole: String, _ encodings: [PayloadEncoding]
    ) throws -> VerifiedJWS {
        do {
            return try verifier(of: whole).verifyUnencoded(whole, encodings: encodings)
        } catch let error as JOSEError where error.code == .signatureInvalid {
            guard whole.contains("..") else { throw error }
            throw Rejection(
                error.code, step: error.step.name,
                message: "\(error.message); the token has no payload; --detached FILE gives it")
        }
    }
}

extension Option {
    static let readForm = choice("form", "FORM", ["compact", "json"]) { "\($0) (default compact)" }
}

extension Invocation {
    /// Whether `--form` is `json`. The token's form is never guessed.
    var readsJSON: Bool { line["form"] == "json" }
}
