// Key files: PEM, DER and PKCS#12. OpenSSL reads a plain key as the same key.

import CFuzz
import JOSE
import JOSEBytes

extension FuzzTarget {
    static let keyFile = FuzzTarget("key-file") { bytes in try keyFileProperties(bytes) }

    /// The same properties, separate because its inputs cost thousands of hashes each.
    static let pkcs12 = FuzzTarget("pkcs12") { bytes in try keyFileProperties(bytes) }

    /// Anchors, chains and revocation lists: PEM, DER, PKCS#7 and base64.
    static let certificateFile = FuzzTarget("certificate-file") { bytes in
        for kind in [JOSEError.Input.Kind.anchor, .revocationList] {
            guard let values = try bounded(bytes, { try InputValue.all(kind, in: [bytes]) }) else {
                continue
            }
            try hold(!values.isEmpty, "accepted without a value")
            for value in values {
                try hold(
                    StrictDER.isOneValue(value.der.span), "a value that is not one DER value")
            }
            let certificates = values.map(\.der)
            let ordered = try accepted { try CertificateOrder.leafFirst(certificates) } ?? []
            try hold(
                ordered.count == certificates.count && Set(ordered) == Set(certificates),
                "the order loses a certificate")
            let store = try accepted {
                kind == .anchor
                    ? try TrustStore(anchors: [bytes])
                    : try TrustStore(anchors: [], revocationLists: [bytes])
            }
            // Reading as a key file and as anchors gives the same.
            guard kind == .anchor, store != nil else { continue }
            let file = try accepted { try KeyFileContents(bytes) }
            guard let file, certificates.count <= 32 else { continue }
            try hold(Set(file.certificates) == Set(certificates), "two readers read two things")
        }
    }

    /// Names of certificates as text (RFC 4514): an accepted text is a Name in DER.
    static let subject = FuzzTarget("subject") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do {
            let subject = try CertificateSubject(distinguishedName: text)
            let name = try subject.encoded()
            try hold(StrictDER.isOneValue(name.span), "a name that is no DER")
        } catch let error as JOSEError {
            try hold(error.code == .misuse, "rejected with \(error)")
        }
    }

    private static func keyFileProperties(_ bytes: [UInt8]) throws {
        let password = Array("password".utf8)
        guard
            let file = try bounded(
                bytes, pairs: { $0.keys.count { $0.isKeyPair } },
                { try KeyFileContents(bytes, password: password) })
        else { return }
        try hold(!file.formats.isEmpty, "accepted without a form")
        _ = try accepted { try file.key() }
        if let entries = try accepted({ try file.entries() }) {
            try hold(!entries.keys.isEmpty, "entries without a key")
            try hold(
                file.keys.isEmpty || entries.keys.count <= file.keys.count, "more keys than found")
            for entry in entries.keys {
                let chain = entry.key.certificateChain ?? []
                try hold(
                    chain.allSatisfy(file.certificates.contains), "a certificate of no file")
            }
        }
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
        let plain: Set<KeyFileContents.Format> = [.pkcs1Private, .pkcs1Public, .pkcs8, .spki]
        if file.formats.count == 1, plain.contains(file.formats[0]), !bytes.starts(with: [0x2d]),
            bytes.first == 0x30, isKnown(file.keys[0])
        {
            try agrees(file.keys[0].publicKeyFile(.der), bytes, file.formats[0].rawValue)
        }
    }

    /// Whether the installed OpenSSL has keys of this kind. We read public ones everywhere.
    private static func isKnown(_ key: JWK) -> Bool {
        key.keyType != .akp || key.algorithm?.signature?.isAvailable == true
    }

    /// OpenSSL must accept both files and find the same public key.
    private static func agrees(_ ours: [UInt8], _ der: [UInt8], _ form: String) throws {
        try hold(
            cfuzz_openssl_same(ours, ours.count, der, der.count),
            "OpenSSL rejects or reads another key in \(form)")
    }
}
