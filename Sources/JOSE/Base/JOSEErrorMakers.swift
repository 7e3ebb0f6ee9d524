// Short makers for JOSEError, and the one place where faults of the lower modules become codes.

package import JOSEBytes
package import JOSECrypto

extension JOSEError {
    package static func malformed(
        _ step: Step, _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.malformed, step, Reason(reason, first, second, third))
    }

    package static func limitExceeded(
        _ step: Step, _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.limitExceeded, step, Reason(reason, first, second, third))
    }

    package static func unsupported(
        _ step: Step, _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.unsupported, step, Reason(reason, first, second, third))
    }

    package static func keyUnusable(
        _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.keyUnusable, .key, Reason(reason, first, second, third))
    }

    package static func keyNotFound(
        _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.keyNotFound, .key, Reason(reason, first, second, third))
    }

    package static func untrustedKey(
        _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.untrustedKey, .certificate, Reason(reason, first, second, third))
    }

    package static func claimRejected(
        _ name: String, _ reason: StaticString, _ first: Value = .none, _ second: Value = .none
    ) -> JOSEError {
        JOSEError(.claimRejected, .claims, Reason(reason, first, second), claim: name)
    }

    package static func misuse(
        _ reason: StaticString, _ first: Value = .none, _ second: Value = .none,
        _ third: Value = .none
    ) -> JOSEError {
        JOSEError(.misuse, .call, Reason(reason, first, second, third))
    }

    /// An outage, for sources and services of a program's own: nothing is said of any token or key.
    ///
    /// - Parameters:
    ///   - step: Where it was met; `keySet` for a source of keys.
    ///   - reason: What could not be asked, in a constant.
    public static func unavailable(_ step: Step, _ reason: StaticString) -> JOSEError {
        JOSEError(.unavailable, step, Reason(reason))
    }

    static let headerNotBase64URL = JOSEError.malformed(.header, "the header is not base64url")

    /// The same fault, with what is the matter where that is a common mistake.
    @inline(never)
    static func notBase64URL(_ text: Span<UInt8>, _ plain: JOSEError) -> JOSEError {
        for index in text.indices {
            switch text[index] {
            case ...0x20:
                return .malformed(
                    plain.step,
                    "white space is not base64url: a line feed at the end, a broken line, or Bearer before the token"
                )
            case UInt8(ascii: "\""):
                return .malformed(
                    plain.step, "a quotation mark is not base64url: take the token out of its JSON")
            case UInt8(ascii: "="):
                return .malformed(plain.step, "padding is not base64url: a token has no =")
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                return .malformed(
                    plain.step, "+ and / are not base64url: this is base64 of another alphabet")
            default: break
            }
        }
        return plain
    }

    package static let replayed = JOSEError(
        .replayed, .claims, "the token may be used once and was used before")
    package static let algorithmNotAllowed = JOSEError(
        .algorithmNotAllowed, .algorithm, "the policy does not name this algorithm")
    package static let signatureInvalid = JOSEError(
        .signatureInvalid, .signature, "the signature does not verify")
    package static let decryptionFailed = JOSEError(
        .decryptionFailed, .decryption, "decryption failed")
    package static let notHere = JOSEError(
        .unsupported, .algorithm,
        "the libcrypto or zlib here does not have what this takes (josectl selftest names it)")

    /// Says what libcrypto lacks where that is why.
    package static var internalFailure: JOSEError {
        let reason: StaticString =
            switch HostProcess.trouble {
            case .version:
                "libcrypto is not used: it must be 3.0.2, or 3.0.7 or newer of version 3"
            case .queue:
                "libcrypto is not used: its error queue is not as in its headers"
            case .provider: "libcrypto has no default provider"
            case .generator: "libcrypto has no CTR-DRBG or no SEED-SRC for random numbers"
            case nil: "memory, random numbers or the crypto provider failed"
            }
        return JOSEError(.internal, .call, Reason(reason))
    }

    /// A JSON fault seen at `step`.
    package init(_ fault: JSONFault, at step: Step) {
        switch fault {
        case .syntax: self.init(.malformed, step, "not strict JSON")
        case .utf8: self.init(.malformed, step, "not valid UTF-8")
        case .duplicate: self.init(.malformed, step, "a JSON member stands twice")
        case .number: self.init(.malformed, step, "a JSON number is malformed")
        case .depth:
            self.init(.limitExceeded, step, "JSON nested too deeply (JOSELimits.jsonDepth)")
        case .capacity: self.init(.limitExceeded, step, "too many names and values in JSON")
        case .tooLarge:
            self.init(.limitExceeded, step, "JSON too large, or too many of its names in escapes")
        }
    }

    /// A crypto fault; `rejected` is what a refusal means to the caller.
    package init(_ fault: CryptoFault, rejected: JOSEError) {
        switch fault {
        case .rejected: self = rejected
        case .unusableKey: self = .keyUnusable("the key is inconsistent or outside the limits")
        case .failure: self = .internalFailure
        case .unsupported: self = .notHere
        }
    }
}
