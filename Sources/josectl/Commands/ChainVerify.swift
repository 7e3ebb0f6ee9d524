// josectl chain verify: validates certificate chains against the user's trust anchors.

import JOSE
import JOSEBytes

extension Command {
    static let chainVerify = Command(
        name: "chain verify",
        summary: "validate a certificate chain against your trust anchors",
        arguments: "[FILE|URI...]", maxArguments: 16,
        details: """
            FILE is a JWK or JWK Set with x5c, a token with x5c in its header, or certificates: \
            one file with all of them or several in order, leaf first. URI is the pkcs11: URI of a \
            key with certificates.
            Only --anchors is trusted. A valid chain proves who issued a certificate, not whose it \
            is: use --subject, --san or --policy for that. All that are given must match.
            """,
        options: [
            .value("anchors", "FILE", "trust anchors: PEM or one DER certificate", repeats: true),
            .value(
                "crl", "FILE", "complete CRLs; each issuer then needs a current one",
                repeats: true),
            .choice("purpose", "USE", ["signature", "encryption"]) {
                "\($0) (default: the key's use)"
            },
            .keyID, .at,
        ] + IdentityOptions.options + Option.externalKey,
        example: "josectl chain verify public.jwks --anchors roots.pem --purpose signature"
    ) { invocation in
        let line = invocation.line
        _ = try line.required("anchors")
        let purpose = line["purpose"]
        let now = try invocation.time() ?? .now
        let material = TrustMaterial(
            anchors: try CertificateFile.named(line.all("anchors")),
            lists: try CertificateFile.named(line.all("crl")))
        let identity = try IdentityOptions.identity(line)
        let store: TrustStore
        do throws(JOSEError) {
            let all = try material.store()
            store = identity.map { all.restricted(to: $0) } ?? all
        } catch {
            throw material.rejection(error)
        }
        let chains = try await invocation.unvalidatedChains()
        let results = try chains.map { try ChainResult($0, purpose, store, now) }
        if invocation.output.isJSON {
            try Descriptor.output.write(ChainResult.json(results))
        } else {
            for result in results { try result.print(invocation.output) }
        }
        return results.allSatisfy { $0.rejection == nil } ? .accepted : .rejected
    }
}

private struct ChainResult {
    let keyID: String?
    var subject = ""
    var notAfter: NumericDate?
    var message = ""
    var rejection: Rejection?
    var published = ""

    init(
        _ chain: UnvalidatedChain, _ purpose: String?, _ store: TrustStore, _ now: NumericDate
    ) throws {
        keyID = chain.keyID
        var reported: String?
        do {
            let key = try chain.key()
            let purpose = try CertificatePurpose.named(purpose, for: key)
            let certificates = key.certificateChain ?? []
            published = try key.publicJSON()
            if !certificates.isEmpty {
                let report = try store.report(certificates, purpose: purpose, at: now)
                subject = report.subjects.first ?? ""
                message = CommandLineWording.translate(report.message)
                reported = report.error.map { CommandLineWording.translate($0.message) }
            }
            let trusted = try key.validated(by: store, purpose: purpose, at: now)
            notAfter = trusted.validatedChain?.notAfter
        } catch {
            guard let rejection = Rejection(any: error) else { throw error }
            self.rejection = rejection
            // For the same error, keep the report's message, which also names the certificate.
            if reported?.isExactly(rejection.message) != true { message = rejection.message }
        }
    }

    func print(_ output: Output) throws {
        let name = keyID.map { "kid \(printable($0)): " } ?? ""
        guard let rejection else {
            let end = notAfter.map { " until \(Timestamp.write($0))" } ?? ""
            try output.line("\(name)\(TerminalStyle.good("valid"))\(end): \(subject)")
            return
        }
        let code = TerminalStyle.bad("rejected: \(rejection.code.name)")
        try output.line("\(name)\(code): \(message)")
    }

    static func json(_ results: [ChainResult]) -> [UInt8] {
        JSONWriter.line { writer in
            writer.member("ok", results.allSatisfy { $0.rejection == nil })
            writer.member("chains", objects: results) { writer, result in
                writer.member("kid", result.keyID)
                if let rejection = result.rejection {
                    writer.rejection(
                        Rejection(rejection.code, step: rejection.step, message: result.message))
                } else {
                    writer.member("ok", true)
                    writer.member("subject", result.subject)
                    writer.member("not_after", result.notAfter.map(Timestamp.write))
                    writer.member("public", json: Array(result.published.utf8))
                }
            }
        }
    }
}
