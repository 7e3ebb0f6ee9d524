// josectl explain: shows step by step why a token is accepted or rejected.

import JOSE
import JOSEBytes

extension Command {
    static let explain = Command(
        name: "explain",
        summary: "show step by step why a token is accepted or rejected",
        arguments: "[TOKEN|FILE]", maxArguments: 1,
        details: """
            Takes the options of 'open' and makes the same checks. Shows headers, keys, every \
            check and, once the signature is valid, the claims that were checked. The output may \
            be confidential.
            With --profile, an ID Token is checked as the relying party of that provider checks \
            it. The profile decides layers, algorithms and claims; --issuer, --audience (the \
            client_id) and --nonce are required.
            The last line of a rejection names a section of the page Errors. The Debian package \
            has it in /usr/share/doc/josectl.
            """,
        options: Option.policy + Option.idToken + [.maxBytes, .maxInflated] + Option.externalKey,
        example: """
            josectl explain --decryption-keys b.private.jwks --verification-keys a.public.jwks \\
                --issuer a --audience b token.jwt
            """
    ) { invocation in
        let limits = try JOSELimits(invocation.line)
        let report: ExplainReport
        if let idToken = try await invocation.idTokenJob(limits) {
            report = await ExplainReport(
                try invocation.token(limits), idToken.openJob, invocation.output.options,
                idToken.explain)
        } else {
            let job = try await invocation.openJob(limits, notesSkippedKeys: false)
            report = await ExplainReport(
                try invocation.token(limits), job, invocation.output.options
            ) { token in
                try await explanation(of: token, job)
            }
        }
        // Invalid options: nothing was checked, so there is nothing to explain.
        if let rejection = report.rejection, rejection.code == .misuse { throw rejection }
        if invocation.output.isJSON {
            try Descriptor.output.write(report.json)
        } else {
            try report.print(invocation.output)
        }
        return report.rejection?.exitCode ?? .accepted
    }
}

/// Explains a token even if no verifier can be made for the keys.
private nonisolated(nonsending) func explanation(
    of token: String, _ job: OpenJob
) async throws -> TokenExplanation {
    let verifier: AsyncJWTVerifier
    var failure: JOSEError?
    do {
        verifier = try await job.verifier(of: token)
    } catch let error as JOSEError where [.keyUnusable, .algorithmNotAllowed].contains(error.code) {
        verifier = try job.explainer()
        failure = error
    }
    let explanation = await verifier.explain(
        token, expecting: job.expectation, at: job.now, timeout: ExternalKeys.timeout)
    return failure.map { explanation.rejected(by: $0) } ?? explanation
}

private struct ExplainReport {
    let form: String
    let lines: [TokenExplanation.Line]
    let claims: [TokenExplanation.Claim]
    let rejection: Rejection?
    /// The option that changes the result; nil if the advice already names it.
    let option: String?
    let advice: String?
    let unchecked: [String]

    /// `explain` checks the token. `job` only lists what was not checked.
    nonisolated(nonsending) init(
        _ token: String, _ job: OpenJob, _ options: [String]?,
        _ explain: nonisolated(nonsending) (String) async throws -> TokenExplanation
    ) async {
        form = TokenOutline(token.utf8.span).text
        unchecked = job.unchecked
        var explanation: TokenExplanation?
        var failure: Rejection?
        do {
            let result = try await explain(token)
            failure = result.error.map { Rejection($0) }
            explanation = result
        } catch {
            failure =
                Rejection(any: error)
                ?? Rejection(.internal, step: "call", message: "unexpected error")
        }
        lines = explanation?.lines ?? []
        claims = explanation?.claims ?? []
        rejection = failure
        option =
            explanation?.hint?.setting == nil
            ? failure.flatMap { OptionHint.text($0, options: options) } : nil
        advice =
            failure == nil
            ? nil
            : explanation?.hint?.advice(options) ?? explanation?.error.flatMap(Advice.on)
    }

    func print(_ output: Output) throws {
        try output.line("    token: \(form)")
        for line in lines {
            switch line.outcome {
            case .passed: try output.line(TerminalStyle.good("ok  ") + line.shown)
            case .rejected: try output.line(TerminalStyle.bad("NO  ") + line.shown)
            case .note: try output.line(TerminalStyle.faint("    " + line.shown))
            }
        }
        for checked in claims {
            let remark = checked.remark.map { "   (\($0))" } ?? ""
            try output.line("    \(padded(checked.name, 10))\(checked.value ?? "absent")\(remark)")
        }
        guard let rejection else {
            if !unchecked.isEmpty {
                try output.line("    not checked: \(unchecked.joined(separator: ", "))")
            }
            return try output.line(TerminalStyle.good("accepted"))
        }
        let claim = rejection.claim.map { " (\($0))" } ?? ""
        try output.line(
            TerminalStyle.bad("rejected: \(rejection.code.name)\(claim)")
                + " at \(rejection.step): \(rejection.message)")
        if let option { try output.line(option) }
        if let advice { try output.line(advice) }
        try output.line("see \(rejection.page)")
    }

    var json: [UInt8] {
        JSONWriter.line { writer in
            if let rejection {
                writer.rejection(rejection, hint: option)
            } else {
                writer.member("ok", true)
            }
            writer.member("token", form)
            writer.member("steps", objects: lines) { writer, line in
                writer.member("step", line.step.name)
                writer.member("outcome", line.outcome.rawValue)
                writer.member("text", line.message)
            }
            writer.member("claims", objects: claims) { writer, checked in
                writer.member("name", checked.name)
                writer.member("value", checked.value)
                writer.member("remark", checked.remark)
            }
            writer.member("advice", advice)
            writer.member("see", rejection?.page)
            writer.names("unchecked", unchecked)
        }
    }
}

extension TokenExplanation.Line {
    fileprivate var shown: String { "\(step.name): \(message)" }

    fileprivate var message: String { CommandLineWording.translate(text) }
}

extension TokenExplanation.Hint {
    fileprivate func advice(_ options: [String]?) -> String {
        let advice = CommandLineWording.translate(text)
        let option = setting.flatMap { OptionHint.option($0, value, options: options) }
        return option.map { "\(advice) Option: \($0)." } ?? advice
    }
}
