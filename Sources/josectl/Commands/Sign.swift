// josectl sign: a compact JWS.

import JOSE
import JOSEBytes

extension Option {
    static let header = value("header", "JSON", "further members of the protected header")
    static let type = value("typ", "TYPE", "the header's typ, such as JWT")
    static let contentType = value("cty", "TYPE", "the header's cty")
}

extension Command {
    static let sign = Command(
        name: "sign",
        summary: "sign a payload: a compact JWS",
        arguments: "[FILE]", argumentCount: 1,
        options: [
            .value("key", "FILE", "our private JWK or JWK Set"), .keyID,
            .value("alg", "NAME", "the signature algorithm (default: the key's alg)"),
            .type, .contentType, .header, .out, .maxBytes,
        ],
        example: "echo hello | josectl sign --key private.jwks > token.jws"
    ) { invocation in
        let limits = try Limits(invocation.line)
        let wanted = try invocation.row("alg", SignatureAlgorithm.self)
        let file = try KeyFile(invocation.line.required("key"))
        let key = try file.pick(
            invocation.line["kid"],
            (wanted.map { [$0] } ?? SignatureAlgorithm.all).map(KeyQuery.signing), option: "kid")
        let signer = try JWSSigner(
            key, algorithm: wanted ?? key.signingAlgorithm(nil), header: invocation.header(),
            limits: limits)
        return try invocation.give(token: try signer.sign(invocation.payload(limits)))
    }
}

extension Invocation {
    /// The header members that the options ask for.
    func header() throws -> HeaderParameters {
        var header = HeaderParameters()
        if let text = line["header"] {
            do {
                let document = try JSONDocument(Array(text.utf8), maximumDepth: 32)
                header = try HeaderParameters(document, at: 0)
            } catch is JSONFault {
                throw UsageError("--header is not strict JSON")
            }
        }
        header.type = line["typ"] ?? header.type
        header.contentType = line["cty"] ?? header.contentType
        return header
    }
}
