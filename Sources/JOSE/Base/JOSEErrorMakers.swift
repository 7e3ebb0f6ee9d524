// Creates JOSEErrors, also from the errors of JOSEBytes and JOSECrypto.

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

    /// The certificate chain was validated for another purpose, or is not valid now.
    package static let untrustedForPurpose = untrustedKey(
        "the key's certificates are not trusted for this purpose at this time")

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

    /// Creates the error for an outage of your own key source or key service.
    ///
    /// - Parameters:
    ///   - step: The step that failed; `keySet` for a key source.
    ///   - reason: A constant sentence that says what is unavailable.
    public static func unavailable(_ step: Step, _ reason: StaticString) -> JOSEError {
        JOSEError(.unavailable, step, Reason(reason))
    }

    package static func unavailable(
        _ step: Step, _ reason: StaticString, _ first: Value
    ) -> JOSEError {
        JOSEError(.unavailable, step, Reason(reason, first))
    }

    /// Creates the error for a part that is not base64url. It names the most common causes.
    ///
    /// - Parameter part: The name of the part: `the header`, `the member iv`, `apu`.
    @inline(never)
    package static func notBase64URL(
        _ text: Span<UInt8>, _ step: Step, _ part: StaticString
    ) -> JOSEError {
        let part = Value.name(part)
        for index in text.indices {
            let offset = Value.number(index)
            switch text[index] {
            case 0x20 where text.startsWithBearer:
                return .malformed(
                    step,
                    "{} is not base64url: it begins with an authorization scheme; remove Bearer",
                    part)
            case 0x20, 0x09, 0x0a, 0x0d:
                return .malformed(
                    step,
                    "{} is not base64url: white space at offset {}; remove line breaks and spaces",
                    part, offset)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                return .malformed(
                    step,
                    "{} is not base64url: quotation mark at offset {}; remove the quotation marks",
                    part, offset)
            case UInt8(ascii: "{") where index == 0:
                return .malformed(step, "{} is not base64url: it begins like JSON", part)
            case UInt8(ascii: "="):
                return .malformed(
                    step, "{} is not base64url: padding (=) at offset {}; remove it", part, offset)
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                return .malformed(
                    step, "{} is not base64url: + or / at offset {}; base64url has - and _ instead",
                    part, offset)
            case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"):
                continue
            default:
                return .malformed(
                    step, "{} is not base64url: invalid character at offset {}", part, offset)
            }
        }
        guard !text.isEmpty else { return .malformed(step, "{} is empty", part) }
        return text.count % 4 == 1
            ? .malformed(
                step,
                "{} is not base64url: {} characters is not a possible length; was it cut off?",
                part, .number(text.count))
            : .malformed(
                step,
                "{} is not base64url: unused bits of its last character are set; was it cut off?",
                part)
    }

    package static let replayed = JOSEError(
        .replayed, .claims, "the token is for one use and was used before")
    package static let algorithmNotAllowed = JOSEError(
        .algorithmNotAllowed, .algorithm, "the policy does not allow the token's algorithm")
    package static let signatureInvalid = JOSEError(
        .signatureInvalid, .signature, "the signature does not verify")
    package static let decryptionFailed = JOSEError(
        .decryptionFailed, .decryption, "decryption failed")
    package static let unsupportedByInstalledLibrary = JOSEError(
        .unsupported, .algorithm,
        "not supported by the installed libcrypto or zlib (josectl selftest lists what is missing)")

    package static let unsupportedByFIPSProvider = JOSEError(
        .unsupported, .algorithm,
        """
        not supported by the FIPS provider: the algorithm or curve, an RSA private key without \
        primes, an EC private key without its public key, or a key file whose encryption is below \
        the limits of SP 800-132 (josectl selftest --fips lists the algorithms that are rejected)
        """)

    package static var unsupportedByProvider: JOSEError {
        FIPSLibrary.isUsedByProcess ? .unsupportedByFIPSProvider : .unsupportedByInstalledLibrary
    }

    /// The error for a failure of libcrypto; it says why if this libcrypto cannot be used at all.
    package static var internalFailure: JOSEError {
        let reason: StaticString =
            switch HostProcess.libraryFailure {
            case .version:
                """
                libcrypto is not supported: use OpenSSL 3.0.2, or 3.0.7 or later, with the same \
                major version as the headers that this build was compiled with
                """
            case .queue:
                """
                libcrypto is not supported: its error queue differs from that of the OpenSSL \
                headers that this build was compiled with
                """
            case .provider: "libcrypto has no default provider"
            case .generator: "libcrypto has no CTR-DRBG or no SEED-SRC for random numbers"
            case nil:
                "libcrypto failed: no memory, no random numbers, or an error of an OpenSSL provider"
            }
        return JOSEError(.internal, .call, Reason(reason))
    }

    package init(_ failure: JSONError, at step: Step) {
        switch failure {
        case .syntax: self.init(.malformed, step, "not strict JSON")
        case .utf8: self.init(.malformed, step, "not valid UTF-8")
        case .duplicate: self.init(.malformed, step, "a JSON member occurs twice in one object")
        case .number: self.init(.malformed, step, "a JSON number violates the grammar")
        case .depth:
            self.init(.limitExceeded, step, "the JSON nests too deeply (JOSELimits.jsonDepth)")
        case .capacity:
            self.init(
                .limitExceeded, step,
                "the JSON has more names and values than are accepted for its size")
        case .tooLarge:
            self.init(
                .limitExceeded, step,
                "the JSON has 256 MiB or more, or more than 1,024 names with escapes")
        }
    }

    /// Creates the error for a JSON failure with its offset in the text.
    ///
    /// - Parameters:
    ///   - depth: The maximum nesting depth.
    ///   - offset: The offset of the failure; nil scans the text again to find it.
    ///   - name: Returns the member name that begins at an offset; nil if it is not a known one.
    @inline(never)
    package init(
        _ failure: JSONError, at step: Step, in text: Span<UInt8>, depth: Int, offset: Int? = nil,
        naming name: (Span<UInt8>, Int) -> StaticString? = { _, _ in nil }
    ) {
        guard let offset = offset ?? JSON.offset(of: failure, in: text, maxDepth: depth) else {
            self.init(failure, at: step)
            return
        }
        let position = Value.number(offset)
        let reason: Reason
        switch failure {
        case .syntax where JSON.isCutOff(text, at: offset),
            .utf8 where JSON.isCutOff(text, at: offset),
            .number where JSON.isCutOff(text, at: offset):
            reason = Reason(
                "not strict JSON: the text ends too early, at offset {}", .number(text.count))
        case .syntax: reason = Reason("not strict JSON: unexpected text at offset {}", position)
        case .utf8: reason = Reason("not valid UTF-8 in the string at offset {}", position)
        case .duplicate:
            if let name = name(text, offset) {
                reason = Reason(
                    "the member {} occurs twice, again at offset {}", .name(name), position)
            } else {
                reason = Reason("a JSON member occurs twice, again at offset {}", position)
            }
        case .number:
            reason = Reason("the JSON number at offset {} violates the grammar", position)
        case .depth:
            reason = Reason(
                "JSON nested deeper than {} levels (JOSELimits.jsonDepth) at offset {}",
                .number(depth), position)
        case .capacity, .tooLarge:
            self.init(failure, at: step)
            return
        }
        self.init(failure == .depth ? .limitExceeded : .malformed, step, reason)
    }

    /// Creates the error for a failure of libcrypto; `rejected` is used for `CryptoError.rejected`.
    @inline(never)
    package init(_ failure: CryptoError, ifRejected rejected: JOSEError) {
        switch failure {
        case .rejected: self = rejected
        case .unusableKey:
            self = .keyUnusable("the key's numbers are inconsistent or outside the limits")
        case .failure: self = .internalFailure
        case .unsupported: self = .unsupportedByProvider
        }
    }
}

extension Span<UInt8> {
    /// Whether the text begins with `Bearer` in any case, and a space.
    fileprivate var startsWithBearer: Bool {
        guard count > 6 else { return false }
        let scheme: [6 of UInt8] = [0x62, 0x65, 0x61, 0x72, 0x65, 0x72]
        for index in 0..<6 where self[index] | 0x20 != scheme[index] { return false }
        return self[6] == 0x20
    }
}
