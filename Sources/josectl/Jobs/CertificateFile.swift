// Files of certificates and revocation lists: PEM bundles, or one in DER.

import JOSE
import JOSEBytes
import JOSECrypto

enum CertificateFile {
    /// The certificates of a file, in its order.
    static func certificates(_ path: String) throws -> [[UInt8]] {
        try read(path, ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"], "a certificate")
    }

    /// The revocation lists of a file.
    static func revocationLists(_ path: String) throws -> [[UInt8]] {
        try read(path, ["X509 CRL"], "a revocation list")
    }

    /// Each of a file's contents by the file's name, and by its place where there are several.
    static func named(_ contents: [[UInt8]], _ path: String) -> [TrustMaterial.Entry] {
        contents.enumerated().map { index, der in
            let place = contents.count == 1 ? "" : ", number \(index + 1)"
            return (printable(path) + place, der)
        }
    }

    private static func read(
        _ path: String, _ labels: Set<String>, _ wanted: String
    ) throws -> [[UInt8]] {
        let bytes = try Files.read(
            path, atMost: JOSELimits.standard.keySetBytes, what: "the certificate file")
        return try contents(bytes, path, labels, wanted)
    }

    /// The DER values of a text that was read already.
    static func contents(
        _ bytes: [UInt8], _ path: String, _ labels: Set<String>, _ wanted: String
    ) throws -> [[UInt8]] {
        guard PEM.isText(bytes.span) else {
            guard StrictDER.isOneValue(bytes.span) else {
                throw refusal(path, "neither PEM nor DER; expected \(wanted)")
            }
            return [bytes]
        }
        return try PEM.blocks(bytes.span, atMost: 1_000).map { block in
            guard labels.contains(block.label) else {
                throw refusal(path, "found \(printable(block.label)); expected \(wanted)")
            }
            return block.contents.withSpan { der in der.indices.map { der[$0] } }
        }
    }

    private static func refusal(_ path: String, _ reason: String) -> Refusal {
        Refusal(.malformed, step: "certificate", message: "\(printable(path)): \(reason)")
    }
}
