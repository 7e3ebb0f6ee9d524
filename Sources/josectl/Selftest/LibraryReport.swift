// What the libcrypto that runs does not have, and which known faults its number does not exclude.

import JOSE
import JOSECrypto

/// The libcrypto that runs, as the self-test tells of it.
enum LibraryReport {
    /// The rows of the tables, and the curves, that it does not have, each with what is missing.
    static let unavailable: [(row: String, missing: String)] =
        lacking(SignatureAlgorithm.rows, \.description, \.missing)
        + lacking(KeyManagementAlgorithm.rows, \.description, \.missing)
        + lacking(ContentEncryptionAlgorithm.rows, \.description, \.missing)
        + lacking(CompressionAlgorithm.rows, \.description, \.missing)
        + lacking(JWKCurve.rows, \.name, \.missing)

    private static func lacking<Row>(
        _ rows: [Row], _ name: (Row) -> String, _ missing: (Row) -> String?
    ) -> [(row: String, missing: String)] {
        rows.compactMap { row in missing(row).map { (name(row), $0) } }
    }

    /// Faults of libcrypto, in what is used of it, that this number does not exclude; a distributor mends them without
    /// changing it. Those of policies are not among them: beside such a number these stay off.
    static func failures(of number: UInt) -> [String] {
        let mended: [(in: UInt, failures: [String])] = [
            (0x3000_0070, ["CVE-2022-1473", "CVE-2022-3602", "CVE-2022-3786"]),
            (0x3000_0080, ["CVE-2022-4203", "CVE-2022-4304", "CVE-2023-0286"]),
        ]
        return mended.filter { number < $0.in }.flatMap(\.failures)
    }
}
