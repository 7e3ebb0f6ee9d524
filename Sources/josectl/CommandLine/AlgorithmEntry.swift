// Looks up algorithms by the names that options, keys and requests have.

import JOSE
import JOSECrypto

/// An algorithm of one of the library's tables.
protocol AlgorithmEntry: Sendable, CustomStringConvertible {
    static var all: [Self] { get }
    static var recommended: [Self] { get }
    init?(name: String)
    /// All algorithms, including those that the installed OpenSSL or zlib lacks.
    static var entries: [Self] { get }
    /// What the installed OpenSSL or zlib lacks for this algorithm; nil if nothing.
    var missing: String? { get }
    /// The kind of algorithm in the table, for messages.
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
    /// Compression is never accepted unless it is named.
    static var recommended: [CompressionAlgorithm] { all.filter { $0.status == .recommended } }
    static var kind: String { "compression" }
}

extension AlgorithmEntry {
    /// Returns the algorithm with this name.
    ///
    /// - Throws: `unsupported`, with what the installed OpenSSL lacks if that is the reason.
    static func named(_ name: String) throws -> Self {
        if let algorithm = Self(name: name) { return algorithm }
        throw Rejection.unsupported(unavailability(of: name) ?? "unknown \(kind)")
    }

    /// Why the algorithm cannot be used here; nil if it can, or if there is none with this name.
    static func unavailability(of name: String) -> String? {
        unavailability { $0.description.isExactly(name) }
    }

    /// Why the first algorithm that matches cannot be used here; nil if it can, or if none matches.
    static func unavailability(where matches: (Self) -> Bool) -> String? {
        entries.first(where: matches)?.missing.map { missing in
            FIPSProvider.ofProcess == nil
                ? "the installed OpenSSL \(HostProcess.libraryVersion) or zlib has no \(missing); "
                    + "see `josectl selftest`"
                : "the FIPS provider has no approved \(missing); see `josectl selftest --fips`"
        }
    }
}
