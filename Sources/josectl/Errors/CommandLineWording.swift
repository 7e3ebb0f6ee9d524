// Replaces names of the Swift API in messages of the library by names of the command line.

import JOSE
import JOSEBytes

enum CommandLineWording {
    /// Each text is replaced once, in this order.
    private static let replacements: [(swift: StaticString, commandLine: StaticString)] = [
        (" (compression:)", ""),
        ("; 'critical' names those that the caller checks", ""),
        ("; set 'type' to accept another one", ""),
        ("'type' requires", "--typ requires"),
        ("'type' accepts", "--typ accepts"),
        (", unless ClaimsPolicy.requiresContentType is false", ""),
        ("'critical' names", "--crit names"),
        (": name one or use .any (ClaimsPolicy.issuer)", ": --issuer names one"),
        (": name one or use .any (ClaimsPolicy.audience)", ": --audience names one"),
        (" is empty: name one or use .any", " is empty: --audience names one"),
        (
            "the authorized party is empty (ClaimsPolicy.authorizedParty)",
            "--authorized-party is empty"
        ),
        (" (ClaimsPolicy.maxLifetime)", " (--max-lifetime)"),
        (" (ClaimsPolicy.leeway)", " (--leeway)"),
        (" (ClaimsPolicy.maxSubjectBytes)", ""),
        (" (SignatureRule)", ""),
        (" (CertificateIdentity)", ""),
        (": verifyJSON reads the JSON serialisation", ""),
        (": decryptJSON reads the JSON serialisation", ""),
        (": verifyDetachedJSON takes a detached one", ""),
        (": use KeyFileContents", ""),
        (": use JWKSet or PublicJWKSet", ""),
        (": use JWK", ""),
        (", or read each PEM with KeyFileContents", ", or save each PEM to a file of its own"),
        (" (`KeyFileContents.entries` returns them all)", ": josectl keys import reads them all"),
        (", or use `KeyFileContents.entries`", ""),
        ("publish JWKSet.publicKeys", "publish what `josectl keys public` writes"),
        ("encrypt to its publicKey", "encrypt to its public part: josectl keys public"),
        ("passwordIterations", "p2c"),
        ("SignatureRequirement.each(of:) is empty", "--signatures is empty"),
        ("'algorithms' is empty", "the list of algorithms is empty"),
        ("'lifetime'", "the lifetime"),
        ("trustedAudiences needs authorizedParty", "--trusted-audiences needs --authorized-party"),
        (" (ClaimsPolicy.trustedAudiences)", " (--trusted-audiences)"),
        (" (trustedAudiences)", " (--trusted-audiences)"),
        ("`JWSVerifier.verifyJSON` (`josectl verify --form json`)", "josectl verify --form json"),
        (
            "`JWEDecrypter.decryptJSON` (`josectl decrypt --form json`)",
            "josectl decrypt --form json"
        ),
        ("`JWSVerifier.verifyDetached`", "josectl verify --detached FILE"),
        (
            "Read a compact token with `verify` or `decrypt`, not `verifyJSON` or `decryptJSON`.",
            "Read a compact token without --form json."
        ),
    ]

    static func translate(_ message: String) -> String {
        var text = Array(message.utf8)
        for (swift, commandLine) in replacements { replace(swift, by: commandLine, in: &text) }
        removeLimits(&text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func replace(
        _ swift: StaticString, by replacement: StaticString, in text: inout [UInt8]
    ) {
        let part = Array(swift.description.utf8)
        guard let start = start(of: part, in: text) else { return }
        text.replaceSubrange(start..<start + part.count, with: replacement.description.utf8)
    }

    /// Removes ` (JOSELimits.…)`.
    private static func removeLimits(_ text: inout [UInt8]) {
        while let start = start(of: Array(" (JOSELimits.".utf8), in: text),
            let end = text[start...].firstIndex(of: UInt8(ascii: ")"))
        {
            text.removeSubrange(start...end)
        }
        replace("above JOSELimits.maxIterations", by: "above the limit", in: &text)
    }

    private static func start(of part: [UInt8], in text: [UInt8]) -> Int? {
        guard text.count >= part.count else { return nil }
        return (0...text.count - part.count).first { text[$0...].starts(with: part) }
    }
}
