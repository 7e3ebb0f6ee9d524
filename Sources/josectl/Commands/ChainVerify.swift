// josectl chain verify: whether certificates lead to the user's own roots, and which one fails and why.

import JOSE
import JOSEBytes

extension Command {
    static let chainVerify = Command(
        name: "chain verify",
        summary: "judge a certificate chain by your own roots",
        arguments: "[FILE|URI...]", argumentCount: 16,
        details: """
            FILE is a JWK or a JWK Set with x5c, a token whose header carries x5c, or certificates, the
            leaf first: one file with all of them or several in order; URI is a key in a token that has its
            certificates. Only --anchors is trusted. A chain proves who issued a certificate, and not whose
            it is: --subject, --san and --policy demand that; all that are given must hold.
            """,
        options: [
            .value("anchors", "FILE", "the roots: PEM, or one certificate in DER", repeats: true),
            .value(
                "crl", "FILE", "complete revocation lists; each issuer needs one", repeats: true),
            .choice("purpose", "USE", ["signature", "encryption"]) {
                "\($0) (default: the key's use)"
            },
            .keyID, .at,
        ] + DemandedIdentity.options + Option.held,
        example: "josectl chain verify public.jwks --anchors roots.pem --purpose signature"
    ) { invocation in
        let line = invocation.line
        _ = try line.required("anchors")
        let purpose = line["purpose"]
        let now = try invocation.time() ?? .now
        let material = TrustMaterial(
            anchors: try CertificateFile.named(line.all("anchors")),
            lists: try CertificateFile.named(line.all("crl")))
        let identity = try DemandedIdentity.read(line)
        let store: TrustStore
        do throws(JOSEError) {
            let all = try material.store()
            store = identity.map { all.restricted(to: $0) } ?? all
        } catch {
            throw material.rejection(error)
        }
        let chains = try await invocation.presentedChains()
        var verdicts: [ChainResult] = []
        for chain in chains {
            verdicts.append(try ChainResult(chain, purpose, store, now))
        }
        if invocation.output.isJSON {
            try Descriptor.output.write(ChainResult.json(verdicts))
        } else {
            for verdict in verdicts { try verdict.say(invocation.output) }
        }
        return verdicts.allSatisfy { $0.rejection == nil } ? .accepted : .rejected
    }
}

/// What one chain came to.
private struct ChainResult {
    let keyID: String?
    var subject = ""
    var notAfter: NumericDate?
    var message = ""
    var rejection: Rejection?
    var published = ""

    init(
        _ chain: PresentedChain, _ purpose: String?, _ store: TrustStore, _ now: NumericDate
    ) throws {
        keyID = chain.keyID
        var reported: String?
        do {
            let key = try chain.key()
            let purpose = try CertificatePurpose.wanted(purpose, for: key)
            let certificates = key.certificateChain ?? []
            published = try key.publicJSON()
            if !certificates.isEmpty {
                let report = try store.report(certificates, purpose: purpose, at: now)
                subject = report.subjects.first ?? ""
                message = ShellWords.translated(report.message)
                reported = report.error.map { ShellWords.translated($0.message) }
            }
            let trusted = try key.validated(by: store, purpose: purpose, at: now)
            notAfter = trusted.validatedChain?.notAfter
        } catch {
            guard let rejection = Rejection(any: error) else { throw error }
            self.rejection = rejection
            // The store says which certificate is at fault; the engine's error only what is.
            if reported?.isExactly(rejection.message) != true { message = rejection.message }
        }
    }

    func say(_ output: Output) throws {
        let name = keyID.map { "kid \(printable($0)): " } ?? ""
        guard let rejection else {
            let end = notAfter.map { " until \(Timestamp.write($0))" } ?? ""
            try output.line("\(name)\(Paint.good("valid"))\(end): \(subject)")
            return
        }
        let code = Paint.bad("rejected: \(rejection.code.name)")
        try output.line("\(name)\(code): \(message)")
    }

    static func json(_ verdicts: [ChainResult]) -> [UInt8] {
        JSONWriter.line { writer in
            writer.member("ok", verdicts.allSatisfy { $0.rejection == nil })
            writer.member("chains", objects: verdicts) { writer, verdict in
                writer.member("kid", verdict.keyID)
                if let rejection = verdict.rejection {
                    writer.rejection(
                        Rejection(rejection.code, step: rejection.step, message: verdict.message))
                } else {
                    writer.member("ok", true)
                    writer.member("subject", verdict.subject)
                    writer.member("not_after", verdict.notAfter.map(Timestamp.write))
                    writer.member("public", json: Array(verdict.published.utf8))
                }
            }
        }
    }
}
