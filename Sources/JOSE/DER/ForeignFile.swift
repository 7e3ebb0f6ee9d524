// Files that look like keys and are not read: each by its name, with the command that converts it.

import JOSEBytes
import JOSECrypto

/// What a file is that no reader here takes.
enum ForeignFile {
    /// The error for a file that is none of the known forms; nil where it is not recognised either.
    static func error(_ bytes: Span<UInt8>) -> JOSEError? {
        if bytes.isEmpty { return .malformed(.key, "the file is empty") }
        if isWide(bytes) { return wideText }
        if let store = keyStore(bytes) { return store }
        let start = firstPlace(bytes)
        for (beginning, error) in beginnings where begins(bytes, start, beginning) { return error }
        if isToken(bytes, start) {
            return .malformed(.key, "found a token; expected a key file")
        }
        return nil
    }

    /// The error for a PEM block of this label; nil for all others.
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
                .key, "found a key that only its TPM can use (TSS2); it has no file of its own")
        }
        return nil
    }

    // MARK: texts

    /// For a private key or a password-protected file of the old PEM encryption.
    static let oldEncryption = JOSEError.unsupported(
        .key,
        """
        the PEM block has headers: the old PEM encryption (DEK-Info) is not supported; convert \
        it to PKCS#8: openssl pkcs8 -topk8 -v2 aes-256-cbc -in FILE -out key.pem
        """
    )

    static let openSSHPrivate = JOSEError.unsupported(
        .key,
        """
        found an OpenSSH private key, which is not read; convert a copy of it to PKCS#8: \
        ssh-keygen -p -m PKCS8 -f COPY (RSA and ECDSA; Ed25519: load_ssh_private_key of Python's \
        cryptography)
        """
    )

    private static let openSSHPublic = JOSEError.unsupported(
        .key,
        """
        found an OpenSSH public key, which is not read; convert it to PEM: ssh-keygen -e -m \
        PKCS8 -f FILE > key.pem
        """
    )

    /// What ssh-keygen does not convert: the last 32 bytes are the key (RFC 8709, 4; RFC 8410, 4).
    private static let openSSHEd25519 = JOSEError.unsupported(
        .key,
        """
        found an OpenSSH public key, which is not read; convert it to PEM: (printf \
        '0*0\\005\\006\\003+ep\\003!\\0'; cut -d' ' -f2 FILE | base64 -d | tail -c 32) | openssl pkey \
        -pubin -inform DER -out key.pem
        """)

    private static let ssh2 = JOSEError.unsupported(
        .key,
        """
        found an SSH2 key (RFC 4716), which is not read; convert it to PEM: ssh-keygen -i -f \
        FILE > key.pub, then ssh-keygen -e -m PKCS8 -f key.pub > key.pem
        """
    )

    private static let putty = JOSEError.unsupported(
        .key,
        """
        found a PuTTY private key, which is not read; convert it: puttygen FILE -O \
        private-openssh -o key, then ssh-keygen -p -m PKCS8 -f key
        """
    )

    private static let pgp = JOSEError.unsupported(
        .key,
        """
        found a PGP block, which is not read; the authentication key of a PGP key becomes PEM \
        by: gpg --export-ssh-key ID > key.pub, then ssh-keygen -e -m PKCS8 -f key.pub > key.pem
        """
    )

    static let wideText = JOSEError.unsupported(
        .key, "found UTF-16 text; convert it to UTF-8: iconv -f UTF-16 -t UTF-8 FILE > key.pem")

    static let serviceAccount = JOSEError.unsupported(
        .key,
        """
        found the JSON file of a service account; its key is the member private_key: jq -r \
        .private_key FILE > key.pem
        """
    )

    static let request = JOSEError.unsupported(
        .key,
        """
        found a certificate request; expected a key or a certificate. Its public key: openssl \
        req -in FILE -noout -pubkey > key.pem
        """
    )

    static let oldCertificate = JOSEError.unsupported(
        .key,
        """
        found a certificate of version 1; expected a key or a certificate of version 3. Its \
        public key: openssl x509 -in FILE -noout -pubkey > key.pem
        """
    )

    /// PKCS#7 whose lengths are open, as streaming writers make it.
    static let openPKCS7 = JOSEError.unsupported(
        .certificate,
        """
        found PKCS#7 in BER with open lengths; convert it to PEM: openssl pkcs7 -in FILE -inform \
        DER -print_certs -out chain.pem
        """
    )

    static let legacyPKCS12 = JOSEError.unsupported(
        .key,
        """
        the PKCS#12 file uses legacy algorithms; expected PBES2 with AES and a SHA-2 MAC. \
        Convert it to PEM, which is read with all its keys: openssl pkcs12 -legacy -in FILE -nodes \
        -out all.pem (OpenSSL 3)
        """
    )

    static let legacyPKCS8 = JOSEError.unsupported(
        .key,
        """
        found a legacy encryption; expected PBES2 with PBKDF2, HMAC-SHA-2 and AES-CBC. Convert \
        it: openssl pkcs8 -in FILE -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -out key.pem
        """
    )

    static let scrypt = JOSEError.unsupported(
        .key,
        """
        found an encryption by scrypt; expected PBES2 with PBKDF2, HMAC-SHA-2 and AES-CBC. \
        Convert it: openssl pkcs8 -in FILE -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 -out \
        key.pem
        """
    )

    static let otherCipher = JOSEError.unsupported(
        .key,
        """
        found an encryption other than AES-CBC; expected PBES2 with PBKDF2, HMAC-SHA-2 and \
        AES-CBC. Convert it: openssl pkcs8 -in FILE -topk8 -v2 aes-256-cbc -v2prf hmacWithSHA256 \
        -out key.pem
        """
    )

    static let scryptPKCS12 = JOSEError.unsupported(
        .key,
        """
        the PKCS#12 file uses scrypt; expected PBES2 with PBKDF2 and AES-CBC. Convert it to PEM, \
        which is read with all its keys: openssl pkcs12 -in FILE -nodes -out all.pem (OpenSSL 3)
        """
    )

    /// The error of a key in a PKCS#12 file, which another command converts.
    static func inPKCS12(_ error: JOSEError) -> JOSEError {
        switch error.reason {
        case legacyPKCS8.reason: legacyPKCS12
        case scrypt.reason: scryptPKCS12
        default: error
        }
    }

    static let pbmac1 = JOSEError.unsupported(
        .key,
        """
        the PKCS#12 file has a PBMAC1 (RFC 9579), which is not read; expected a MAC of RFC 7292 \
        with SHA-2. Convert it to PEM, which is read with all its keys: openssl pkcs12 -in FILE \
        -nodes -out all.pem (OpenSSL 3.4)
        """
    )

    private static let beginnings: [(beginning: StaticString, error: JOSEError)] = [
        ("ssh-ed25519 ", openSSHEd25519), ("ssh-", openSSHPublic), ("ecdsa-sha2-", openSSHPublic),
        ("sk-ssh-", openSSHPublic),
        ("sk-ecdsa-", openSSHPublic), ("---- BEGIN SSH2 ", ssh2),
        ("PuTTY-User-Key-File-", putty),
        (
            "<RSAKeyValue",
            .unsupported(
                .key,
                """
                found an RSA key as XML of .NET, which is not read; in .NET: \
                rsa.FromXmlString(text), then rsa.ExportPkcs8PrivateKeyPem() or \
                rsa.ExportSubjectPublicKeyInfoPem()
                """
            )
        ),
        ("<", .malformed(.key, "found HTML or XML; expected a key file")),
    ]

    // MARK: recognition

    /// Keystores by their first bytes.
    private static func keyStore(_ bytes: Span<UInt8>) -> JOSEError? {
        guard bytes.count >= 8 else { return nil }
        let words = (0..<2).map { word in
            (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[4 * word + $1]) }
        }
        switch (words[0], words[1]) {
        case (0xfeed_feed, _):
            return .unsupported(
                .key,
                """
                found a Java keystore (JKS), which is not read; convert it: keytool \
                -importkeystore -srckeystore FILE -destkeystore new.p12 -deststoretype PKCS12
                """
            )
        case (0xcece_cece, _):
            return .unsupported(
                .key,
                """
                found a Java keystore (JCEKS), which is not read; convert it: keytool \
                -importkeystore -srckeystore FILE -srcstoretype JCEKS -destkeystore new.p12 \
                -deststoretype PKCS12
                """
            )
        // The version, then the size of a salt.
        case (0...2, 8...64):
            return .unsupported(
                .key,
                """
                found a keystore of Bouncy Castle (BKS), which is not read; convert it: keytool \
                -importkeystore -srckeystore FILE -srcstoretype BKS -destkeystore new.p12 \
                -deststoretype PKCS12 -provider \
                org.bouncycastle.jce.provider.BouncyCastleProvider -providerpath bcprov.jar
                """
            )
        case (0x1ef1_b5b0, _), (0xb0b5_f11e, _):
            return .unsupported(
                .key,
                """
                found a PVK file, which is not read; convert it: openssl rsa -inform PVK -in \
                FILE -out key.pem
                """
            )
        default: return nil
        }
    }

    /// Whether it is text of two bytes a character, with a byte order mark or without.
    static func isWide(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count >= 4 else { return false }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (0xff, 0xfe, _, _), (0xfe, 0xff, _, _): return true
        case (0, 0x09...0x7e, 0, 0x09...0x7e), (0x09...0x7e, 0, 0x09...0x7e, 0): return true
        default: return false
        }
    }

    /// Three or five parts of base64url, the first a JSON object.
    private static func isToken(_ bytes: Span<UInt8>, _ start: Int) -> Bool {
        guard begins(bytes, start, "eyJ") else { return false }
        for index in start..<bytes.count where bytes[index] == UInt8(ascii: ".") { return true }
        return false
    }

    /// Where the text begins, behind a byte order mark and white space.
    static func firstPlace(_ bytes: Span<UInt8>) -> Int {
        var at = PEM.isMark(bytes, 0) ? 3 : 0
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

/// A file that is base64 of another, without the lines of PEM: what key services print and
/// environment variables hold.
enum Base64File {
    /// The bytes of the other file; nil where the text is anything else, or shorter than any key.
    ///
    /// Both alphabets are read, with padding or without, with line breaks, in quotation marks. A
    /// mixture of the alphabets is nil.
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
