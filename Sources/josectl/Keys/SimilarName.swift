// Finds the registered name that a misspelt name may mean.

import JOSE
import JOSEBytes

/// Ignores case and separators, and knows common aliases.
enum SimilarName {
    private static let algorithms: [StaticString] =
        SignatureAlgorithm.entries.map(\.staticName)
        + KeyManagementAlgorithm.entries.map(\.staticName)
        + ContentEncryptionAlgorithm.entries.map(\.staticName)

    /// Names that other programs use.
    private static let aliases: [(alias: String, name: StaticString)] = [
        ("SHA256withRSA", "RS256"), ("SHA384withRSA", "RS384"), ("SHA512withRSA", "RS512"),
        ("SHA256withECDSA", "ES256"), ("SHA384withECDSA", "ES384"),
        ("SHA512withECDSA", "ES512"), ("SHA256withRSAandMGF1", "PS256"),
        ("HmacSHA256", "HS256"), ("HmacSHA384", "HS384"), ("HmacSHA512", "HS512"),
        ("RSA", "RS256"), ("RSA-SHA256", "RS256"), ("RSASHA256", "RS256"),
        ("ECDSA", "ES256"), ("RSA-PSS", "PS256"), ("RSA-OAEP-SHA256", "RSA-OAEP-256"),
        ("RSA-OAEP-SHA1", "RSA-OAEP"),
    ]

    static func isAlgorithm(_ name: String) -> Bool {
        algorithms.contains { name.isExactly($0) }
    }

    static func algorithm(_ name: String) -> String? {
        let plain = plain(name)
        guard !plain.isEmpty else { return nil }
        return
            (algorithms.first { SimilarName.plain($0.description) == plain }
            ?? aliases.first { SimilarName.plain($0.alias) == plain }?.name)?.description
    }

    /// Returns `sig` or `enc` if the name begins with it.
    static func use(_ name: String) -> String? {
        let plain = plain(name)
        return ["sig", "enc"].first { plain.starts(with: SimilarName.plain($0)) }
    }

    /// Returns the letters and digits, in lower case.
    private static func plain(_ name: String) -> [UInt8] {
        name.utf8.compactMap { byte in
            switch byte {
            case 0x41...0x5a: byte | 0x20
            case 0x30...0x39, 0x61...0x7a: byte
            default: nil
            }
        }
    }
}
