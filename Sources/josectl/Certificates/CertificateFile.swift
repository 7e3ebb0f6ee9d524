// Reads files with certificates or CRLs: PEM bundles, PKCS#7, or one in DER.

import JOSE
import JOSEBytes

enum CertificateFile {
    /// Returns the certificates in the file's order. With PKCS#7, orders a chain leaf first.
    static func certificates(_ path: String) throws -> [[UInt8]] {
        try certificates([(printable(path), bytes(path))])
    }

    static func certificates(_ files: [TrustMaterial.Entry]) throws -> [[UInt8]] {
        do {
            let values = try InputValue.all(.certificate, in: files.map(\.bytes))
            let certificates = values.map(\.der)
            return values.contains(where: \.isFromPKCS7)
                ? try CertificateOrder.leafFirst(certificates) : certificates
        } catch {
            throw Rejection(error, naming: files.map(\.name))
        }
    }

    /// Reads files for a trust store, each with its name for errors.
    static func named(_ paths: [String]) throws -> [TrustMaterial.Entry] {
        try paths.map { (printable($0), try bytes($0)) }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        try Files.read(
            path, atMost: JOSELimits.standard.keySetBytes, what: "the certificate file")
    }
}
