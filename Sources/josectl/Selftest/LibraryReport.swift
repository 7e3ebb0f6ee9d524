// Reports what the installed OpenSSL lacks, and the known vulnerabilities of its version.

import JOSE
import JOSECrypto

enum LibraryReport {
    static let unavailable: [(name: String, missing: String)] =
        lacking(SignatureAlgorithm.entries, \.description, \.missing)
        + lacking(KeyManagementAlgorithm.entries, \.description, \.missing)
        + lacking(ContentEncryptionAlgorithm.entries, \.description, \.missing)
        + lacking(CompressionAlgorithm.entries, \.description, \.missing)
        + lacking(JWKCurve.entries, \.name, \.missing)

    private static func lacking<Entry>(
        _ entries: [Entry], _ name: (Entry) -> String, _ missing: (Entry) -> String?
    ) -> [(name: String, missing: String)] {
        entries.compactMap { entry in missing(entry).map { (name(entry), $0) } }
    }

    /// Whether the series of the installed OpenSSL, such as 3.5, was tested.
    static var hasTestedVersion: Bool { HostProcess.hasTested(openSSL: HostProcess.libraryNumber) }

    /// The CVEs in functions used here that were fixed after this version. Distributions may have
    /// fixed them without a new version number. CVEs in certificate policies are omitted: with
    /// affected versions, the library rejects chains with policy constraints.
    static func knownCVEs(of version: UInt) -> [String] {
        let fixes: [(in: UInt, cves: [String])] = [
            (0x3000_0070, ["CVE-2022-1473", "CVE-2022-3602", "CVE-2022-3786"]),
            (0x3000_0080, ["CVE-2022-4203", "CVE-2022-4304", "CVE-2023-0286"]),
        ]
        return fixes.filter { version < $0.in }.flatMap(\.cves)
    }
}
