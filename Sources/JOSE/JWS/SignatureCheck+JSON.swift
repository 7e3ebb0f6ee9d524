// Verifies the signatures of a JWS in JSON by the caller's `SignatureRequirement`.

import JOSEBytes
import JOSECrypto

extension SignatureCheck {
    /// An accepted signature: its index in the token, and its key.
    struct AcceptedSignature {
        let index: Int
        let keyIndex: Int
    }

    private struct Chosen {
        let entry: JWSText.Entry
        let key: SelectedKey
    }

    /// - Parameter payload: The payload as it is signed.
    /// - Throws: With `.all`, the first error. With `.any`, the error of the signature that passed
    ///   the most checks, so that the order of the signatures does not change the error code. With
    ///   `.each`, only signatures by required keys count; `signatureMissing` if none failed.
    func verifySignatures(
        _ token: JWSText, _ payload: [UInt8], _ requirement: SignatureRequirement,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> [AcceptedSignature] {
        switch requirement.rule {
        case .any: [try verifyAny(token, payload, context)]
        case .all: try verifyAll(token, payload, context)
        case .each(let keyIDs): try verifyEach(token, payload, keyIDs, context)
        }
    }

    private func verifyAny(
        _ token: JWSText, _ payload: [UInt8], _ context: borrowing VerificationContext
    ) throws(JOSEError) -> AcceptedSignature {
        var best: JOSEError?
        for index in token.entries.indices {
            do throws(JOSEError) {
                let chosen = try choose(token.entries[index], context)
                try verify(chosen, payload, context)
                context.trace?.passed(.signature, "signature \(index + 1) verifies")
                return AcceptedSignature(index: index, keyIndex: chosen.key.index)
            } catch {
                try skip(error, index, &best, context)
            }
        }
        throw best ?? .signatureInvalid
    }

    /// Selects all keys before it verifies the first signature: cheap checks come first.
    private func verifyAll(
        _ token: JWSText, _ payload: [UInt8], _ context: borrowing VerificationContext
    ) throws(JOSEError) -> [AcceptedSignature] {
        var all: [Chosen] = []
        for entry in token.entries { all.append(try choose(entry, context)) }
        var accepted: [AcceptedSignature] = []
        for (index, chosen) in all.enumerated() {
            try verify(chosen, payload, context)
            context.trace?.passed(.signature, "signature \(index + 1) verifies")
            accepted.append(AcceptedSignature(index: index, keyIndex: chosen.key.index))
        }
        return accepted
    }

    private func verifyEach(
        _ token: JWSText, _ payload: [UInt8], _ keyIDs: [String],
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> [AcceptedSignature] {
        guard !keyIDs.isEmpty else {
            throw .misuse(
                "SignatureRequirement.each(of:) is empty: name the keys that must have signed")
        }
        var missing = keyIDs
        // `best` is the error of a signature by a required key, and is thrown if a required
        // signature is missing. `others` is never thrown.
        var (best, others): (JOSEError?, JOSEError?)
        var accepted: [AcceptedSignature] = []
        for index in token.entries.indices where !missing.isEmpty {
            let chosen: Chosen
            do throws(JOSEError) {
                chosen = try choose(token.entries[index], context)
            } catch {
                try skip(error, index, &others, context)
                continue
            }
            guard let name = keyID(chosen.key.index),
                missing.contains(where: { $0.isExactly(name) })
            else {
                context.trace?.note(
                    .signature, "signature \(index + 1) is by a key that is not required")
                continue
            }
            do throws(JOSEError) {
                try verify(chosen, payload, context)
                context.trace?.passed(.signature, "signature \(index + 1) verifies")
                missing.removeAll { $0.isExactly(name) }
                accepted.append(AcceptedSignature(index: index, keyIndex: chosen.key.index))
            } catch {
                try skip(error, index, &best, context)
            }
        }
        guard missing.isEmpty else { throw best ?? .signatureMissing }
        return accepted
    }

    private func choose(
        _ entry: Result<JWSText.Entry, JOSEError>, _ context: borrowing VerificationContext
    ) throws(JOSEError) -> Chosen {
        let entry = try entry.get()
        let text = entry.header.document.bytes
        return Chosen(
            entry: entry, key: try selectKey(entry.header.fields, text.span, context))
    }

    private func verify(
        _ chosen: Chosen, _ payload: [UInt8], _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        let input = JWSText.signingInput(chosen.entry.protected, payload)
        let signature = chosen.entry.signature
        do throws(JOSEError) {
            try SignatureCheck.verify(input.span, encoded: signature.span, chosen.key.operation)
        } catch {
            if let trace = context.trace, error.code == .signatureInvalid {
                explain(chosen, input, trace)
            }
            throw error
        }
    }

    private func explain(_ chosen: Chosen, _ input: [UInt8], _ trace: Trace) {
        guard let selected = try? keys.prepared(chosen.key.index),
            let signature = Base64URL.decode(chosen.entry.signature.span)
        else { return }
        SignatureRejection(keys: keys, headerPolicy: headerPolicy, type: .any, trace: trace)
            .explainSignature(
                SignatureRejection.SignedParts(input: input, signature: signature),
                chosen.key.algorithm, selected, keyID: keyID(chosen.key.index))
    }

    /// Skips a signature, and keeps its error in `best` if no signature before it passed as many
    /// checks. Throws the error instead if it rejects the whole token.
    private func skip(
        _ error: JOSEError, _ index: Int, _ best: inout JOSEError?,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        guard let rank = SignatureCheck.rank(error) else { throw error }
        context.trace?.note(error.step, "signature \(index + 1) skipped: \(error.message)")
        if let best, let other = SignatureCheck.rank(best), other <= rank { return }
        best = error
    }

    /// The fewer checks passed before the error, the higher the rank. Nil rejects the whole token.
    private static func rank(_ error: JOSEError) -> Int? {
        let codes: [JOSEError.Code] = [
            .signatureInvalid, .untrustedKey, .keyUnusable, .keyNotFound, .algorithmNotAllowed,
            .unsupported,
        ]
        return codes.firstIndex(of: error.code)
    }
}

extension JOSEError {
    fileprivate static let signatureMissing = JOSEError(
        .signatureInvalid, .signature, "the token has no signature of a key that must have signed"
    )
}
