// Judging the signatures of a JSON serialisation by the rule of the caller.

import JOSEBytes
import JOSECrypto

extension SignatureCheck {
    /// One signature that was accepted: its place in the token, and the key.
    struct Accepted {
        let place: Int
        let keyIndex: Int
    }

    /// One signature whose key is known.
    private struct Chosen {
        let entry: JWSText.Entry
        let key: SelectedKey
    }

    /// The accepted signatures that the rule asks for.
    ///
    /// - Parameter payload: The payload's text as it is signed.
    /// - Throws: What rejected the token. Where none of several signatures would do, the fault of the one that came
    ///   furthest, so that the code does not depend on the order of the others.
    func judge(
        _ token: JWSText, _ payload: [UInt8], _ requirement: SignatureRequirement,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> [Accepted] {
        switch requirement.rule {
        case .any: [try judgeAny(token, payload, context)]
        case .all: try judgeAll(token, payload, context)
        case .each(let keyIDs): try judgeEach(token, payload, keyIDs, context)
        }
    }

    private func judgeAny(
        _ token: JWSText, _ payload: [UInt8], _ context: borrowing VerificationContext
    ) throws(JOSEError) -> Accepted {
        var best: JOSEError?
        for place in token.entries.indices {
            do throws(JOSEError) {
                let chosen = try choose(token.entries[place], context)
                try verify(chosen, payload, context)
                context.trace?.passed(.signature, "signature \(place + 1) verifies")
                return Accepted(place: place, keyIndex: chosen.key.index)
            } catch {
                try skip(error, place, &best, context)
            }
        }
        throw best ?? .signatureInvalid
    }

    /// Everything is admitted before anything is computed.
    private func judgeAll(
        _ token: JWSText, _ payload: [UInt8], _ context: borrowing VerificationContext
    ) throws(JOSEError) -> [Accepted] {
        var all: [Chosen] = []
        for entry in token.entries { all.append(try choose(entry, context)) }
        var accepted: [Accepted] = []
        for (place, chosen) in all.enumerated() {
            try verify(chosen, payload, context)
            context.trace?.passed(.signature, "signature \(place + 1) verifies")
            accepted.append(Accepted(place: place, keyIndex: chosen.key.index))
        }
        return accepted
    }

    private func judgeEach(
        _ token: JWSText, _ payload: [UInt8], _ keyIDs: [String],
        _ context: borrowing VerificationContext
    ) throws(JOSEError) -> [Accepted] {
        guard !keyIDs.isEmpty else {
            throw .misuse(
                "SignatureRequirement.each(of:) is empty: name the keys that must have signed")
        }
        var missing = keyIDs
        // Only a signature by a key that was asked for says why that key's is missing.
        var (best, others): (JOSEError?, JOSEError?)
        var accepted: [Accepted] = []
        for place in token.entries.indices where !missing.isEmpty {
            let chosen: Chosen
            do throws(JOSEError) {
                chosen = try choose(token.entries[place], context)
            } catch {
                try skip(error, place, &others, context)
                continue
            }
            guard let name = keyID(chosen.key.index),
                missing.contains(where: { $0.isExactly(name) })
            else {
                context.trace?.note(.signature, "signature \(place + 1) is by a key not asked for")
                continue
            }
            do throws(JOSEError) {
                try verify(chosen, payload, context)
                context.trace?.passed(.signature, "signature \(place + 1) verifies")
                missing.removeAll { $0.isExactly(name) }
                accepted.append(Accepted(place: place, keyIndex: chosen.key.index))
            } catch {
                try skip(error, place, &best, context)
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
            entry: entry, key: try admitKey(entry.header.fields, text.span, context))
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

    /// Notes why a signature does not verify.
    private func explain(_ chosen: Chosen, _ input: [UInt8], _ trace: Trace) {
        guard let selected = try? keys.prepared(chosen.key.index),
            let signature = Base64URL.decode(chosen.entry.signature.span)
        else { return }
        SignatureRejection(keys: keys, admission: admission, type: .any, trace: trace)
            .explainSignature(
                SignatureRejection.SignedParts(input: input, signature: signature),
                chosen.key.algorithm, selected, keyID: keyID(chosen.key.index))
    }

    /// Passes over a signature that another may make up for; any other fault ends the work.
    private func skip(
        _ error: JOSEError, _ place: Int, _ best: inout JOSEError?,
        _ context: borrowing VerificationContext
    ) throws(JOSEError) {
        guard let rank = SignatureCheck.rank(error) else { throw error }
        context.trace?.note(error.step, "signature \(place + 1) skipped: \(error.message)")
        if let best, let other = SignatureCheck.rank(best), other <= rank { return }
        best = error
    }

    /// How far a signature came that was rejected with this code: 0 is the furthest; nil ends the work.
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
        .signatureInvalid, .signature, "no signature of a key that must have signed is in the token"
    )
}
