// Recognises files and PEM blocks of unsupported formats, and names the command that converts them.

import JOSEBytes
import JOSECrypto

enum ForeignFile {
    static func error(_ bytes: Span<UInt8>) -> JOSEError? {
        if bytes.isEmpty { return .malformed(.key, "the file is empty") }
        if isWide(bytes) { return wideText }
        if let store = keyStore(bytes) { return store }
        let start = startOfText(bytes)
        for (beginning, error) in beginnings where begins(bytes, start, beginning) { return error }
        if isToken(bytes, start) {
            return .malformed(.key, "found a token; expected a key file")
        }
        return nil
    }

    static func error(label: String) -> JOSEError? {
        if label.isExactly("OPENSSH PRIVATE KEY") { return openSSHPrivate }
        if label.begins(with: "SSH2 ") { return ssh2 }
        if label.begins(with: "PGP ") { return pgp }
        if label.begins(with: "DSA P"), label.ends(with: "KEY") {
            return .unsupported(
                .key, "found a DSA key: JOSE has no algorithm for it; use RSA, EC or Ed25519")
        }
        if label.begins(with: "TSS2 ") {
            return .unsupported(
                .key,
                "found a TPM key (TSS2), which only its TPM can use; use the TPM through PKCS#11")
        }
        return nil
    }

    // MARK: Messages

    private static func unsupported(_ reason: StaticString) -> JOSEError {
        .unsupported(.key, reason)
    }

    /// PEM encryption of RFC 1421.
    static let oldEncryption = unsupported(
        """
        the PEM block has headers: the old PEM encryption (DEK-Info) is not supported; convert it \
        to PKCS#8: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out key.pem
        """)

    static let openSSHPrivate = unsupported(
        """
        found an OpenSSH private key, which is not supported; convert a copy of it to \
        PKCS#8: ssh-keygen -p -m PKCS8 -f COPY (RSA and ECDSA; Ed25519: load_ssh_private_key of \
        Python's cryptography)
        """)

    private static let openSSHPublic = unsupported(
        """
        found an OpenSSH public key, which is not supported; convert it to PEM: ssh-keygen -e -m \
        PKCS8 -f FILE > key.pem
        """)

    /// ssh-keygen does not convert Ed25519. The last 32 bytes of the decoded blob are the key (RFC
    /// 8709, 4; RFC 8410, 4).
    private static let openSSHEd25519 = unsupported(
        """
        found an OpenSSH public key, which is not supported; convert it to PEM: (printf \
        '0*0\\005\\006\\003+ep\\003!\\0'; cut -d' ' -f2 FILE | base64 -d | tail -c 32) | openssl \
        pkey -pubin -inform DER -out key.pem
        """)

    private static let ssh2 = unsupported(
        """
        found an SSH2 key (RFC 4716), which is not supported; convert it to PEM: ssh-keygen -i -f \
        FILE > key.pub, then ssh-keygen -e -m PKCS8 -f key.pub > key.pem
        """)

    private static let putty = unsupported(
        """
        found a PuTTY private key, which is not supported; convert it: puttygen FILE -O \
        private-openssh -o key, then ssh-keygen -p -m PKCS8 -f key
        """)

    private static let pgp = unsupported(
        """
        found a PGP block, which is not supported; convert its authentication key to PEM: \
        gpg --export-ssh-key ID > key.pub, then ssh-keygen -e -m PKCS8 -f key.pub > key.pem
        """)

    static let wideText = JOSEError.unsupported(
        .key, "found UTF-16 text; convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE > key.pem")

    static let serviceAccount = unsupported(
        """
        found the JSON file of a service account; its key is the member private_key: jq -r \
        .private_key FILE > key.pem
        """)

    static let request = unsupported(
        """
        found a certificate request; expected a key or a certificate. Its public key: openssl req \
        -in FILE -noout -pubkey > key.pem
        """)

    static let oldCertificate = unsupported(
        """
        found a certificate of version 1; expected a key or a certificate of version 3. Its public \
        key: openssl x509 -in FILE -noout -pubkey > key.pem
        """)

    /// Streaming writers use indefinite lengths.
    static let indefinitePKCS7 = JOSEError.unsupported(
        .certificate,
        """
        found PKCS#7 in BER with indefinite lengths; convert it to PEM: openssl pkcs7 -in FILE \
        -inform DER -print_certs -out chain.pem
        """
    )

    static let legacyPKCS12 = unsupported(
        """
        the PKCS#12 file uses legacy algorithms; expected PBES2 with AES and a SHA-2 MAC. Convert \
        it to PEM (all its keys are read): openssl pkcs12 -legacy -in FILE -nodes -out \
        all.pem (OpenSSL 3)
        """)

    static let legacyPKCS8 = encryption("a legacy encryption")
    static let scrypt = encryption("an encryption by scrypt")
    static let otherCipher = encryption("an encryption other than AES-CBC")

    private static func encryption(_ found: StaticString) -> JOSEError {
        .unsupported(
            .key,
            """
            found {}; expected PBES2 with PBKDF2, HMAC-SHA-2 and AES-CBC. Convert it: openssl \
            pkcs8 -in FILE -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -out key.pem
            """, .name(found))
    }

    static let otherPKCS12 = unsupported(
        """
        the PKCS#12 file uses scrypt or a cipher other than AES-CBC; expected PBES2 with PBKDF2 \
        and AES-CBC. Convert it to PEM (all its keys are read): openssl pkcs12 -in FILE -nodes \
        -out all.pem (OpenSSL 3)
        """)

    /// Replaces three errors whose command does not convert a PKCS#12 file.
    static func inPKCS12(_ error: JOSEError) -> JOSEError {
        switch error.reason {
        case legacyPKCS8.reason: legacyPKCS12
        case scrypt.reason, otherCipher.reason: otherPKCS12
        default: error
        }
    }

    static let pbmac1 = unsupported(
        """
        the PKCS#12 file has a PBMAC1 (RFC 9579), which is not supported; expected a MAC of RFC \
        7292 with SHA-2. Convert it to PEM (all its keys are read): openssl pkcs12 -in \
        FILE -nodes -out all.pem (OpenSSL 3.4)
        """)

    private static let beginnings: [(beginning: StaticString, error: JOSEError)] = [
        ("ssh-ed25519 ", openSSHEd25519), ("ssh-", openSSHPublic), ("ecdsa-sha2-", openSSHPublic),
        ("sk-ssh-", openSSHPublic),
        ("sk-ecdsa-", openSSHPublic), ("---- BEGIN SSH2 ", ssh2),
        ("PuTTY-User-Key-File-", putty),
        (
            "<RSAKeyValue",
            unsupported(
                """
                found an RSA key as XML of .NET, which is not supported; in .NET: \
                rsa.FromXmlString(text), then rsa.ExportPkcs8PrivateKeyPem() or \
                rsa.ExportSubjectPublicKeyInfoPem()
                """)
        ),
        ("<", .malformed(.key, "found HTML or XML; expected a key file")),
    ]

    // MARK: Recognition

    private static func keyStore(_ bytes: Span<UInt8>) -> JOSEError? {
        guard bytes.count >= 8 else { return nil }
        let numbers = (0..<2).map { number in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[4 * number + $1]) }
        }
        switch (numbers[0], numbers[1]) {
        case (0xfeed_feed, _):
            return unsupported(
                """
                found a Java keystore (JKS), which is not supported; convert it: keytool \
                -importkeystore -srckeystore FILE -destkeystore new.p12 -deststoretype PKCS12
                """)
        case (0xcece_cece, _):
            return unsupported(
                """
                found a Java keystore (JCEKS), which is not supported; convert it: keytool \
                -importkeystore -srckeystore FILE -srcstoretype JCEKS -destkeystore new.p12 \
                -deststoretype PKCS12
                """)
        // A version number from 0 to 2, then the size of a salt.
        case (0...2, 8...64):
            return unsupported(
                """
                found a keystore of Bouncy Castle (BKS), which is not supported; convert it: \
                keytool -importkeystore -srckeystore FILE -srcstoretype BKS -destkeystore new.p12 \
                -deststoretype PKCS12 -provider org.bouncycastle.jce.provider.BouncyCastleProvider \
                -providerpath bcprov.jar
                """)
        case (0x1ef1_b5b0, _), (0xb0b5_f11e, _):
            return unsupported(
                """
                found a PVK file, which is not supported; convert it: openssl rsa -inform PVK -in \
                FILE -out key.pem
                """)
        default: return nil
        }
    }

    static func isWide(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 4 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0xff, 0xfe, _, _), (0xfe, 0xff, _, _): return true
        case (0, 0x09...0x7e, 0, 0x09...0x7e), (0x09...0x7e, 0, 0x09...0x7e, 0): return true
        default: return false
        }
    }

    /// A compact token begins with a JSON object in base64url and has a dot.
    private static func isToken(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard begins(bytes, start, "eyJ") else { return false }
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: ".") { return true }
        return false
    }

    static func startOfText(_ bytes: Span<UInt8>) -> Int {
        var at = PEM.isByteOrderMark(bytes, 0) ? 3 : 0
        while at < bytes.count, PEM.isSpace(bytes[at]) { at += 1 }
        return at
    }

    private static func begins(
        _ bytes: Span<UInt8>, _ start: Int, _ text: StaticString
    ) -> Bool {
        let count = text.utf8CodeUnitCount
        guard bytes.count - start >= count else { return false }
        return equal(bytes.extracting(start..<start + count), text)
    }
}

/// A file in base64 without PEM lines, as key services and environment variables have it.
enum Base64File {
    /// Returns nil if the text is not base64, or shorter than any key. Accepts either alphabet,
    /// padding or none, line breaks, and quotation marks around the text.
    static func decoded(_ bytes: Span<UInt8>) -> SecretBytes? {
        var start = ForeignFile.startOfText(bytes)
        var end = bytes.count
        while end > start, PEM.isSpace(bytes[end - 1]) { end -= 1 }
        if end - start > 2, bytes[start] == bytes[end - 1],
            bytes[start] == UInt8(ascii: "\"") || bytes[start] == UInt8(ascii: "'")
        {
            (start, end) = (start + 1, end - 1)
        }
        guard end - start >= 40 else { return nil }
        return PEM.decoded(bytes.extracting(start..<end), allowsURL: true)
    }
}
