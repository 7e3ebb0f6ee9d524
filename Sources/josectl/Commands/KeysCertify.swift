// josectl keys certify: certificates for our keys: self-signed, by a local authority, or asked for and attached.

import JOSE
import JOSEBytes
import JOSEPKCS11

extension Command {
    static let keysCertify = Command(
        name: "keys certify",
        summary: "put certificates on keys, or ask an authority for one",
        arguments: "[FILE|URI]", argumentCount: 1,
        details: """
            FILE is a private JWK or JWK Set. Choose one of --self-signed (for a sandbox), --ca with
            --ca-key, --csr, or --chain. The result is the set with x5c, leaf first, and x5t#S256; a
            request is PEM. keyUsage follows the key's use. The certificate of --ca must allow to issue
            others, be valid now and hold the key of --ca-key; those of --chain must be valid now. Of a key
            in a token, the certificates are put into the token, and the result is the public JWK.
            """,
        options: [
            .flag("self-signed", "certificates that the keys sign themselves"),
            .value("ca", "FILE", "the authority's certificate, and its own issuers behind it"),
            .value("ca-key", "FILE|URI", "the authority's private key, or a key in a token"),
            .value("password-file", "FILE", "the password of the authority's key"),
            .flag("csr", "write a certificate request (PKCS#10)"),
            .value("chain", "FILE", "attach the certificates that an authority issued"),
            .value(
                "subject", "NAME",
                "as CN=name,O=Example\\, Inc,serialNumber=1,C=BE (RFC 4514; default: CN is the kid)"
            ),
            .value("days", "N", "how long the certificate is valid, 1 to 3650 (default 365)"),
            .keyID, .out, .force,
        ] + Option.held,
        example: "josectl keys certify private.jwks --csr --kid sig-1 --out sig-1.csr"
    ) { invocation in
        let line = invocation.line
        let path = line.arguments.first ?? "-"
        let isInToken = PKCS11URI.isMeant(by: path)
        if !line.has("csr"), !isInToken { _ = try line.required("out") }
        let plan = try await CertifyPlan(invocation)
        if isInToken { return try await certifyInToken(PKCS11URI(word: path), plan, invocation) }
        let file = try KeyFile(path)
        if line.has("csr") {
            return try await request(file.only(line["kid"]), path, plan, invocation)
        }
        let set = try file.ownSet()
        if let skipped = set.skipped.first {
            throw Rejection(
                .keyUnusable, step: "key-set",
                message: "\(printable(path)): \(skipped)")
        }
        guard set.keys.contains(where: { $0.isMeant(by: line["kid"]) }) else {
            let reason = set.keys.isEmpty ? "there is no key" : "no key has this kid"
            throw Rejection(
                .keyNotFound, step: "key", message: "\(printable(path)): \(reason)")
        }
        let keys = try await plan.naming(path) {
            try await plan.certified(set.keys) { $0.isMeant(by: line["kid"]) }
        }
        let certified = JWKSet(keys: keys)
        let isPrivate = keys.contains(where: \.isPrivate)
        let text =
            try isPrivate ? certified.privateJSON() : certified.publicKeys.json()
        let bytes = Array(text.utf8) + [0x0a]
        try invocation.outputs.write(bytes, isPrivate ? .secret : .open)
        return .accepted
    }

    /// Writes a request for a certificate.
    nonisolated(nonsending) private static func request(
        _ key: JWK, _ name: String, _ plan: CertifyPlan, _ invocation: Invocation
    ) async throws -> ExitCode {
        do {
            let request = try await plan.naming(name) { try await plan.request(for: key) }
            try invocation.outputs.write(request, .open)
            return .accepted
        } catch let rejection as Rejection where rejection.code == .keyUnusable {
            throw Rejection(
                rejection.code, step: rejection.step,
                message: "\(rejection.message); --ca certifies a key without its signature")
        }
    }

    /// What is made for a key in a token lies there beside it.
    nonisolated(nonsending) private static func certifyInToken(
        _ uri: PKCS11URI, _ plan: CertifyPlan, _ invocation: Invocation
    ) async throws -> ExitCode {
        let tokens = try invocation.externalKeys()
        let key = try await tokens.key(uri)
        let held = try key.jwk(options: ExternalKeys.rule)
        guard held.isMeant(by: invocation.line["kid"]) else {
            throw Rejection(.keyNotFound, step: "key", message: "\(uri): the key has another kid")
        }
        guard !invocation.line.has("csr") else {
            return try await request(held, uri.description, plan, invocation)
        }
        // Another one would be shown in place of that, or make the key unusable, and could not be taken back here.
        guard key.publicKey.certificateChain == nil else {
            throw Rejection(
                .keyUnusable, step: "key", message: "\(uri): the token has a certificate of the key"
            )
        }
        let stored = try await plan.naming(uri.description) {
            let certified = try await plan.certified([held]) { _ in true }
            return try await tokens.token(uri).store(
                certificates: certified.first?.certificateChain ?? [], for: key,
                timeout: ExternalKeys.patience)
        }
        let json = try Array(stored.publicKey.publicJSON().utf8)
        return try invocation.give(json, isText: true, .open) { $0.member("jwk", json: json) }
    }
}
