// Reads files with certificates or revocation lists: PEM bundles, PKCS#7, or one in DER.

import JOSE
import JOSEBytes

enum CertificateFile {
    /// Reads the certificates of a file, in its order. PKCS#7 is a set, so its certificates are
    /// ordered, leaf first.
    static func certificates(_ path: String) throws -> [[UInt8]] {
        try certificates([(printable(path), bytes(path))])
    }

    /// Parses the certificates of files that were read already.
    static func certificates(_ files: [TrustMaterial.Entry]) throws -> [[UInt8]] {
        do {
            let values = try InputValue.all(.certificate, in: files.map(\.bytes))
            let certificates = values.map(\.der)
            return values.contains(where: \.isFromSet)
                ? try CertificateOrder.leafFirst(certificates) : certificates
        } catch {
            throw Rejection(error, naming: files.map(\.name))
        }
    }

    /// Reads whole files for a trust store.
    static func named(_ paths: [String]) throws -> [TrustMaterial.Entry] {
        try paths.map { (printable($0), try bytes($0)) }
    }

    private static func bytes(_ path: String) throws -> [UInt8] {
        try Files.read(
            path, atMost: JOSELimits.standard.keySetBytes, what: "the certificate file")
    }
}
