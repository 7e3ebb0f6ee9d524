// josectl keys certify: adds certificates to keys, or writes certificate requests.

import JOSE
import JOSEBytes
import JOSEPKCS11

extension Command {
    static let keysCertify = Command(
        name: "keys certify",
        summary: "add certificates to keys, or write a certificate request",
        arguments: "[FILE|URI]", maxArguments: 1,
        details: """
            FILE is a private JWK or JWK Set. Choose one of --self-signed (for tests), --ca with \
            --ca-key, --csr or --chain. The result is the set with x5c (leaf first) and x5t#S256; \
            a request is PEM.
            keyUsage follows the key's use. The certificate of --ca must be a CA certificate, be \
            valid now and match --ca-key; those of --chain must be valid now.
            For a key in a PKCS#11 token, the certificates are stored in the token and the result \
            is the public JWK.
            """,
        options: [
            .flag("self-signed", "make self-signed certificates"),
            .value("ca", "FILE", "the CA's certificate, followed by its issuers"),
            .value("ca-key", "FILE|URI", "the CA's private key file, or its pkcs11: URI"),
            .value("password-file", "FILE", "the password of the CA's key file"),
            .flag("csr", "write a certificate signing request (PKCS#10)"),
            .value("chain", "FILE", "add the certificates that a CA issued"),
            .value(
                "subject", "NAME",
                "the subject, as CN=name,O=Example\\, Inc,C=BE (RFC 4514; default: CN is the kid)"
            ),
            .value("days", "N", "validity in days, 1 to 3650 (default 365)"),
            .keyID, .out, .force,
        ] + Option.externalKey,
        example: "josectl keys certify private.jwks --csr --kid sig-1 --out sig-1.csr"
    ) { invocation in
        let line = invocation.line
        let path = line.arguments.first ?? "-"
        let isInToken = PKCS11URI.isURI(path)
        if !line.has("csr"), !isInToken { _ = try line.required("out") }
        let issuance = try await CertificateIssuance(invocation)
        if isInToken {
            return try await certifyInToken(PKCS11URI(word: path), issuance, invocation)
        }
        let file = try KeyFile(path)
        if line.has("csr") {
            return try await request(file.only(line["kid"]), path, issuance, invocation)
        }
        let set = try file.ownSet()
        if let skipped = set.skipped.first {
            throw Rejection(
                .keyUnusable, step: "key-set",
                message: "\(printable(path)): \(skipped)")
        }
        guard set.keys.contains(where: { $0.isSelected(by: line["kid"]) }) else {
            let reason = set.keys.isEmpty ? "there is no key" : "no key has this kid"
            throw Rejection(
                .keyNotFound, step: "key", message: "\(printable(path)): \(reason)")
        }
        let keys = try await issuance.naming(path) {
            try await issuance.certified(set.keys) { $0.isSelected(by: line["kid"]) }
        }
        let certified = JWKSet(keys: keys)
        let isPrivate = keys.contains(where: \.isPrivate)
        let text =
            try isPrivate ? certified.privateJSON() : certified.publicKeys.json()
        let bytes = Array(text.utf8) + [0x0a]
        try invocation.outputs.write(bytes, isPrivate ? .secret : .open)
        return .accepted
    }

    nonisolated(nonsending) private static func request(
        _ key: JWK, _ name: String, _ issuance: CertificateIssuance, _ invocation: Invocation
    ) async throws -> ExitCode {
        do {
            let request = try await issuance.naming(name) { try await issuance.request(for: key) }
            try invocation.outputs.write(request, .open)
            return .accepted
        } catch let rejection as Rejection where rejection.code == .keyUnusable {
            throw Rejection(
                rejection.code, step: rejection.step,
                message: "\(rejection.message); use --ca, which needs no signature by the key")
        }
    }

    nonisolated(nonsending) private static func certifyInToken(
        _ uri: PKCS11URI, _ issuance: CertificateIssuance, _ invocation: Invocation
    ) async throws -> ExitCode {
        let externalKeys = try invocation.requireExternalKeys()
        let key = try await externalKeys.key(uri)
        let jwk = try key.jwk(options: ExternalKeys.options)
        guard jwk.isSelected(by: invocation.line["kid"]) else {
            throw Rejection(
                .keyNotFound, step: "key", message: "\(uri): the key has a different kid")
        }
        guard !invocation.line.has("csr") else {
            return try await request(jwk, uri.description, issuance, invocation)
        }
        // josectl cannot remove a second certificate, which could hide the first or break the key.
        guard key.publicKey.certificateChain == nil else {
            throw Rejection(
                .keyUnusable, step: "key",
                message: "\(uri): the token already has a certificate for this key")
        }
        let stored = try await issuance.naming(uri.description) {
            let certified = try await issuance.certified([jwk]) { _ in true }
            return try await externalKeys.token(uri).store(
                certificates: certified.first?.certificateChain ?? [], for: key,
                timeout: ExternalKeys.timeout)
        }
        let json = try Array(stored.publicKey.publicJSON().utf8)
        return try invocation.writeResult(json, isText: true, .open) {
            $0.member("jwk", json: json)
        }
    }
}
