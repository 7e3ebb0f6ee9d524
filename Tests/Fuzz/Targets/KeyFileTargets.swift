// Key files: PEM, DER and PKCS#12. A plain key that we read is the key that OpenSSL reads.

import CFuzz
import JOSE
import JOSEBytes

extension FuzzTarget {
    static let keyFile = FuzzTarget("key-file") { bytes in try keyFileProperties(bytes) }

    /// The same properties; apart because its inputs cost thousands of hashes each.
    static let pkcs12 = FuzzTarget("pkcs12") { bytes in try keyFileProperties(bytes) }

    private static func keyFileProperties(_ bytes: [UInt8]) throws {
        let password = Array("password".utf8)
        guard
            let file = try bounded(
                bytes, pairs: { $0.keys.count { $0.isKeyPair } },
                { try KeyFileContents(bytes, password: password) })
        else { return }
        try hold(!file.forms.isEmpty, "accepted without a form")
        _ = try accepted { try file.key() }
        for key in file.keys {
            guard let der = try accepted({ try key.publicKeyFile(.der) }) else {
                try hold(key.keyType.name == "oct", "a public key that cannot be written")
                continue
            }
            let again = try KeyFileContents(der)
            try hold(
                try again.key().thumbprint() == key.thumbprint(), "the public key file differs")
            if isKnown(key) { try agrees(der, der, "our SPKI") }
            guard key.isPrivate else { continue }
            let copy = try key.withPrivateKeyFile(.pem) { (pem) throws(JOSEError) in
                try KeyFileContents(pem).key()
            }
            try hold(try copy.thumbprint() == key.thumbprint(), "the private key file differs")
        }
        let plain: Set<KeyFileForm> = [.pkcs1Private, .pkcs1Public, .pkcs8, .spki]
        if file.forms.count == 1, plain.contains(file.forms[0]), !bytes.starts(with: [0x2d]),
            bytes.first == 0x30, isKnown(file.keys[0])
        {
            try agrees(file.keys[0].publicKeyFile(.der), bytes, file.forms[0].rawValue)
        }
    }

    /// Whether the OpenSSL that runs has keys of this kind: we read public ones wherever we are.
    private static func isKnown(_ key: JWK) -> Bool {
        key.keyType != .akp || key.algorithm.flatMap(SignatureAlgorithm.named) != nil
    }

    /// OpenSSL must accept both files and find the same public key.
    private static func agrees(_ ours: [UInt8], _ der: [UInt8], _ form: String) throws {
        try hold(
            cfuzz_openssl_same(ours, ours.count, der, der.count),
            "OpenSSL refuses or reads another key in \(form)")
    }
}
