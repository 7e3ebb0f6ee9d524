// A row of the engine's tables, as options, keys and requests name it.

import JOSE
import JOSECrypto

/// A row of one of the engine's tables.
protocol AlgorithmEntry: Sendable, CustomStringConvertible {
    static var all: [Self] { get }
    static var recommended: [Self] { get }
    init?(name: String)
    /// All rows, those too for which something is missing here.
    static var rows: [Self] { get }
    /// What libcrypto or zlib does not have of what the row takes; nil where all is here.
    var missing: String? { get }
    /// What the table lists, for messages.
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
    /// Nobody is asked to inflate what no policy named.
    static var recommended: [CompressionAlgorithm] { all.filter { $0.status == .recommended } }
    static var kind: String { "compression" }
}

extension AlgorithmEntry {
    /// The row of a name that the caller wants to use.
    static func wanted(_ name: String) throws -> Self {
        if let row = Self(name: name) { return row }
        throw Rejection.unsupported(absence(of: name) ?? "no such \(kind) here")
    }

    /// Why a row of the table cannot be used here; nil for a name that is no row's.
    static func absence(of name: String) -> String? { absence { $0.description.isExactly(name) } }

    /// Why the first row that fits cannot be used here; nil where it can, and where none fits.
    static func absence(where fits: (Self) -> Bool) -> String? {
        rows.first(where: fits)?.missing.map { missing in
            "libcrypto \(HostProcess.libraryVersion) or zlib here has no \(missing);"
                + " `josectl selftest` lists what is missing"
        }
    }
}
