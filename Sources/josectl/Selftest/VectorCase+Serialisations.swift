// Requests for JWS of the JSON serialisations, with detached and with unencoded payloads.

import JOSE
import JOSEBytes

extension VectorCase {
    /// Examples that have `alg` outside the protected header (RFC 7520, 4.7 and 4.8).
    private var isUnprotected: Bool {
        ["rfc7520-4.7-jws", "rfc7520-4.8-jws"].contains { id.hasPrefix($0) }
    }

    /// A flattened or general token, by the first of its keys.
    func verifyJSON(_ writer: inout JSONWriter) throws {
        guard let token = value("json") ?? value("general") ?? value("flattened") else {
            throw NotRun("no JSON token")
        }
        writer.member("op", "jws.verify")
        writer.member("token", json: token)
        guard file.profile("clock") == nil else {
            // The catalogue's policy asks for all signatures, and knows both signers.
            writer.names("algs", ["RS256"])
            writer.member("signatures", "all")
            return try writeSet("keys", ["sig", "sender"], onlyPublic: true, &writer)
        }
        guard let name = input("key") ?? first("keys"),
            let algorithm = input("alg") ?? first("algs")
        else { throw NotRun("no key") }
        try need(SignatureAlgorithm.self, algorithm)
        writer.names("algs", [algorithm])
        if isUnprotected { writer.member("unprotected_alg", true) }
        try write("key", name, onlyPublic: true, &writer)
    }

    /// A flattened or general token, by the last of its keys: the first of two examples is for RSA1_5.
    func decryptJSON(_ writer: inout JSONWriter) throws {
        guard let token = value("json") ?? value("general") ?? value("flattened"),
            let name = input("key") ?? last("keys"), let algorithm = input("alg") ?? last("algs")
        else { throw NotRun("no JSON token") }
        writer.member("op", "jwe.decrypt")
        writer.member("token", json: token)
        guard !isNever else { return try write("key", name, onlyPublic: false, &writer) }
        try need(KeyManagementAlgorithm.self, algorithm)
        writer.names("algs", [algorithm])
        if let content = input("enc") {
            try need(ContentEncryptionAlgorithm.self, content)
            writer.names("encs", [content])
        } else {
            // The hostile cases do not say it: what their headers say is one of these.
            writer.names("encs", ContentEncryptionAlgorithm.all.map(\.description))
        }
        try write("key", name, onlyPublic: false, &writer)
    }

    /// A compact token whose payload comes apart or stands in it as it is.
    func verifyApart(_ writer: inout JSONWriter) throws {
        guard let token = value("compact") ?? value("compact_detached"), let name = input("key"),
            let algorithm = input("alg")
        else { throw NotRun("no token") }
        try need(SignatureAlgorithm.self, algorithm)
        writer.member("op", "jws.verify")
        writer.member("token", json: token)
        if let payload = value("detached_payload_b64u") {
            writer.member("detached_payload", json: payload)
        } else if let payload = input("payload_text") {
            writer.member("detached_payload", Base64URL.encodeToString(payload.utf8.span))
        }
        if kind == "jws-b64false" { writer.member("b64", false) }
        writer.names("algs", [algorithm])
        try write("key", name, onlyPublic: true, &writer)
    }

    private func first(_ name: StaticString) -> String? { texts(name).first }

    private func last(_ name: StaticString) -> String? { texts(name).last }

    /// The texts of a list of the input.
    private func texts(_ name: StaticString) -> [String] {
        guard let input = file.document.member("input", of: node),
            let list = file.document.member(name, of: input)
        else { return [] }
        var texts: [String] = []
        file.document.forEachElement(of: list) {
            file.document.string(at: $0).map { texts.append($0) }
        }
        return texts
    }

}
