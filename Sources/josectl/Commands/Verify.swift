// josectl verify: the payload of a compact JWS, if its signature is right.

import JOSE

extension Command {
    static let verify = Command(
        name: "verify",
        summary: "verify a compact JWS and give its payload",
        arguments: "[TOKEN|FILE]", argumentCount: 1,
        options: [
            .value("key", "FILE", "the signer's public JWK or JWK Set", alias: "keys"),
            .signatures, .out, .maxBytes,
        ],
        example: "josectl verify --key public.jwks token.jws"
    ) { invocation in
        let limits = try Limits(invocation.line)
        let job = VerifyJob(
            keys: try KeyFile(invocation.line.required("key")).verificationKeys(),
            algorithms: try invocation.allowList("alg", SignatureAlgorithm.self), limits: limits)
        let verified = try job.run(invocation.token(limits))
        return try invocation.give(verified.payload, isText: false, .open) { writer in
            try writer.opened(verified.payload, verified.header, verified.keyID)
        }
    }
}
