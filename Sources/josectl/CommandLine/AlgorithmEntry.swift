// Looks up algorithms by the names in options, keys and requests.

import JOSE
import JOSECrypto

protocol AlgorithmEntry: Sendable, CustomStringConvertible {
    static var all: [Self] { get }
    static var recommended: [Self] { get }
    init?(name: String)
    /// Includes those that the installed OpenSSL or zlib lacks.
    static var entries: [Self] { get }
    /// What the installed OpenSSL or zlib lacks for this algorithm; nil if nothing.
    var missing: String? { get }
    static var kind: String { get }
}

extension SignatureAlgorithm: AlgorithmEntry {
    static var kind: String { "signature algorithm" }
}
extension KeyManagementAlgorithm: AlgorithmEntry {
    static var kind: String { "key management algorithm" }
}
extension ContentEncryptionAlgorithm: AlgorithmEntry {
    static var kind: String { "content encryption algorithm" }
}

extension CompressionAlgorithm: AlgorithmEntry {
    /// Empty, as no compression has this status: it is accepted only if it is named.
    static var recommended: [CompressionAlgorithm] { all.filter { $0.status == .recommended } }
    static var kind: String { "compression" }
}

extension AlgorithmEntry {
    /// Throws `unsupported`, with what the installed OpenSSL lacks if that is the reason.
    static func named(_ name: String) throws -> Self {
        if let algorithm = Self(name: name) { return algorithm }
        throw Rejection.unsupported(unavailability(of: name) ?? "unknown \(kind)")
    }

    /// Why the algorithm cannot be used here; nil if it can, or if the name is unknown.
    static func unavailability(of name: String) -> String? {
        unavailability { $0.description.isExactly(name) }
    }

    static func unavailability(where matches: (Self) -> Bool) -> String? {
        entries.first(where: matches)?.missing.map { missing in
            FIPSProvider.ofProcess == nil
                ? "the installed OpenSSL \(HostProcess.libraryVersion) or zlib has no \(missing); "
                    + "see `josectl selftest`"
                : "the FIPS provider has no approved \(missing); see `josectl selftest --fips`"
        }
    }
}
