// Why a signature does not verify: its encoding, its padding, its hash, its key or its text.

import JOSEBytes
import JOSECrypto

/// Finds out why a signature was rejected, with public keys and at most 17 of them. It runs for an
/// explanation, and accepts nothing.
struct SignatureDiagnosis {
    /// What the signature should be over.
    let input: [UInt8]
    let signature: [UInt8]
    let algorithm: SignatureAlgorithm
    /// All usable keys, of which one was selected.
    let keys: KeyDiagnosis
    let selected: PreparedKey
    /// The selected key for people.
    let name: String
    let trace: Trace

    private var size: String { "\(JOSEError.grouped(signature.count)) bytes" }

    func explain() {
        switch algorithm.family {
        case .ecdsa: if explainDER() { return }
        case .rsaPKCS1, .rsaPSS: if explainBlock() { return }
        case .edDSA, .hmac, .mlDSA: break
        }
        if explainEncodedTwice() || explainSize() || explainOtherText() { return }
        explainOtherKey()
    }

    private func note(_ text: String) { trace.note(.signature, text) }

    private func verifies(
        _ signature: [UInt8], over input: [UInt8], by key: PreparedKey
    ) -> Bool {
        guard let operation = try? key.signature(algorithm, signing: false),
            operation.signatureBytes == signature.count
        else { return false }
        do {
            try operation.verify(input.span, signature: signature.span)
            return true
        } catch {
            return false
        }
    }
}

// MARK: encoding and size

extension SignatureDiagnosis {
    private var wantedBytes: Int? {
        (try? selected.signature(algorithm, signing: false))?.signatureBytes
    }

    /// ECDSA in DER, which X.509, Java and key services write.
    private func explainDER() -> Bool {
        guard let wanted = wantedBytes, let value = SignatureDiagnosis.rs(signature, wanted) else {
            return false
        }
        let ending =
            verifies(value, over: input, by: selected)
            ? "converted, it verifies with \(name)"
            : "converted, it does not verify with \(name) either"
        note(
            "the signature is in DER (\(size), SEQUENCE of two INTEGERs); \(algorithm) "
                + "demands R and S one after the other, "
                + "\(wanted) bytes (RFC 7518, 3.4); \(ending)")
        trace.advise(
            """
            The signer must convert what its key service or library returns from DER to R || S: \
            in Java \
            SHA256withECDSAinP1363Format, in .NET IeeeP1363FixedFieldConcatenation.
            """)
        return true
    }

    /// R || S of a signature in DER; nil where it is none. Zeros before the numbers are passed
    /// over.
    static func rs(_ signature: [UInt8], _ wanted: Int) -> [UInt8]? {
        guard signature.first == DER.sequence else { return nil }
        var value = [UInt8](repeating: 0, count: wanted)
        var out = value.mutableSpan
        guard ECDSAValue.read(signature.span, into: &out) else { return lenient(signature, wanted) }
        return value
    }

    /// The same with integers that are not minimal.
    private static func lenient(_ signature: [UInt8], _ wanted: Int) -> [UInt8]? {
        let der = signature.span
        guard let pair = StrictDER.element(der, at: 0, before: der.count),
            pair.contents.upperBound == der.count,
            let r = StrictDER.element(der, at: pair.contents.lowerBound, before: der.count),
            let s = StrictDER.element(der, at: r.contents.upperBound, before: der.count),
            r.tag == DER.integer, s.tag == DER.integer, s.contents.upperBound == der.count
        else { return nil }
        var value: [UInt8] = []
        for number in [r.contents, s.contents] {
            let digits = signature[number].drop { $0 == 0 }
            guard digits.count <= wanted / 2 else { return nil }
            value += [UInt8](repeating: 0, count: wanted / 2 - digits.count) + digits
        }
        return value
    }

    /// Hexadecimal or base64 inside of base64url.
    private func explainEncodedTwice() -> Bool {
        guard signature.count >= 32, signature.allSatisfy({ 0x20 < $0 && $0 < 0x7f }) else {
            return false
        }
        let (kind, decoded): (String, [UInt8]?) =
            signature.allSatisfy(TokenOutline.isHex)
            ? ("hexadecimal", SignatureDiagnosis.hex(signature))
            : ("base64", TokenOutline.base64(signature))
        guard let decoded else { return false }
        let fits = verifies(decoded, over: input, by: selected)
        note(
            "the signature is text: \(kind) of \(decoded.count) bytes, encoded once more"
                + (fits ? "; decoded, it verifies with \(name)" : ""))
        trace.advise("The signer must encode the bytes of the signature once, as base64url.")
        return true
    }

    private static func hex(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        func digit(_ byte: UInt8) -> UInt8 { byte < 0x3a ? byte - 0x30 : (byte | 0x20) - 0x57 }
        return stride(from: 0, to: text.count, by: 2).map {
            digit(text[$0]) << 4 | digit(text[$0 + 1])
        }
    }

    /// Lower-case hexadecimal.
    private static func digits(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// A signature of another size than the algorithm's.
    private func explainSize() -> Bool {
        guard let wanted = wantedBytes, wanted != signature.count else { return false }
        let looks = SignatureDiagnosis.looks[signature.count].map { ", the size of \($0)" } ?? ""
        note("the signature has \(size)\(looks); \(algorithm) with \(name) has \(wanted) bytes")
        trace.advise(
            signature.count < wanted
                ? "The signature was cut off, or made by another algorithm or key than the "
                    + "header says."
                : "The signature was made by another algorithm or key than the header says.")
        explainOtherKey(isAdvising: false)
        return true
    }

    /// What signatures of these sizes mostly are.
    private static let looks: [Int: String] = [
        20: "HMAC with SHA-1", 32: "HS256", 48: "HS384", 64: "ES256, Ed25519 or HS512",
        96: "ES384", 114: "Ed448", 132: "ES512", 128: "RSA with 1,024 bits",
        256: "RSA with 2,048 bits", 384: "RSA with 3,072 bits", 512: "RSA with 4,096 bits",
        2_420: "ML-DSA-44", 3_309: "ML-DSA-65", 4_627: "ML-DSA-87",
    ]
}

// MARK: the block of RSA

extension SignatureDiagnosis {
    /// Opens the signature with the public key and says what is in it. False where nothing was
    /// found out.
    private func explainBlock() -> Bool {
        guard let key = try? selected.material.native() else { return false }
        let bits = selected.material.sizeBits
        let block: [UInt8]
        do {
            block = try key.opened(rsaSignature: signature.span)
        } catch .rejected where signature.count == (bits + 7) / 8 {
            note("the signature is not below the modulus of \(name): another key signed")
            explainOtherKey()
            return true
        } catch {
            return false
        }
        switch RSABlock(block, modulusBits: bits, text: input) {
        case .pkcs1(let hash, let digest, let hasNull): explain(hash, digest, hasNull)
        case .bare(let bytes): explain(bare: bytes)
        case .pss(let hash, let mask, let saltBytes, let fits):
            explain(hash, mask, saltBytes, fits)
        case .other:
            note(
                "opened with \(name), the signature holds neither a PKCS#1 v1.5 nor a PSS "
                    + "block: another key signed, or "
                    + "the signature was changed")
            explainOtherKey()
        }
        return true
    }

    private func explain(_ hash: RSABlock.NamedHash, _ digest: [UInt8], _ hasNull: Bool) {
        let opened = "opened with \(name), the signature holds a PKCS#1 v1.5 block"
        guard case .known(let hash) = hash else {
            guard case .named(let hash) = hash else { return }
            note("\(opened) of \(hash); \(algorithm) demands \(algorithm.hash.shownName)")
            return trace.advise(
                "The signer must use \(algorithm): JOSE has no signatures with this hash.")
        }
        let fits = (try? Hash.digest(hash, input.span)) == digest
        let holds = "\(opened) of \(hash.shownName)"
        guard fits else {
            note("\(holds), made for another text: \(text(digest, hash))")
            return adviseText()
        }
        let right = SignatureAlgorithm.rows.first { $0.family == .rsaPKCS1 && $0.hash == hash }
        if right?.id != algorithm.id {
            note(
                "\(holds)\(hasNull ? "" : ", without the NULL parameters,") of this text; "
                    + "\(algorithm) demands \(demand)")
            return adviseLabel(right)
        }
        note(
            "\(holds) of this text"
                + (hasNull ? "" : ", but its DigestInfo lacks the NULL parameters (RFC 8017, 9.2)"))
        trace.advise(
            "The signer must write the DigestInfo as RFC 8017 prints it: with NULL parameters "
                + "and nothing else."
        )
    }

    private func explain(bare bytes: [UInt8]) {
        let opened = "opened with \(name), the signature holds a PKCS#1 v1.5 block"
        let found = HashAlgorithm.allCases.first {
            (try? Hash.digest($0, input.span)) == bytes
        }
        guard let found else {
            note("\(opened) of \(bytes.count) bytes without DigestInfo")
            return trace.advise(
                "The signer must put the digest into a DigestInfo (RFC 8017, 9.2), or it "
                    + "signed another text."
            )
        }
        note("\(opened) of the bare \(found.shownName) digest, without DigestInfo")
        trace.advise(
            """
            The signer must put the digest into a DigestInfo (RFC 8017, 9.2): with OpenSSL set \
            the digest \
            (EVP_PKEY_CTX_set_signature_md), with PKCS#11 use CKM_SHA256_RSA_PKCS in place of \
            CKM_RSA_PKCS.
            """)
    }

    private func explain(
        _ hash: HashAlgorithm, _ mask: HashAlgorithm, _ saltBytes: Int, _ fits: Bool
    ) {
        let what =
            "opened with \(name), the signature holds a PSS block of \(hash.shownName) with a "
            + "salt of \(saltBytes) bytes"
            + (mask == hash ? "" : " and MGF1 of \(mask.shownName)")
        guard fits else {
            note("\(what), made for another text")
            return adviseText()
        }
        note("\(what); \(algorithm) demands \(demand)")
        let right = SignatureAlgorithm.rows.first { $0.family == .rsaPSS && $0.hash == hash }
        guard right?.id == algorithm.id else { return adviseLabel(right) }
        trace.advise(
            mask == hash
                ? """
                The signer must set the length of the salt to that of the digest, \
                \(hash.digestBytes) bytes (RFC 7518, 3.5): \
                in OpenSSL RSA_PSS_SALTLEN_DIGEST, in Java PSSParameterSpec.
                """
                : """
                The signer must set MGF1 to \(hash.shownName) too (RFC 7518, 3.5): in Java give \
                PSSParameterSpec the \
                MGF1ParameterSpec of that hash, the default is SHA-1.
                """)
    }

    /// What the header's algorithm demands of a block.
    private var demand: String {
        let hash = algorithm.hash
        return algorithm.family == .rsaPSS
            ? "a PSS block of \(hash.shownName), MGF1 of \(hash.shownName) and a salt of "
                + "\(hash.digestBytes) bytes (RFC 7518, 3.5)"
            : "a PKCS#1 v1.5 block of \(hash.shownName) (RFC 7518, 3.3)"
    }

    private func adviseLabel(_ right: SignatureAlgorithm?) {
        trace.advise(
            right.map {
                "The signer signs by \($0) and writes alg \(algorithm) into the header: one "
                    + "of the two must change."
            } ?? "The signer must use \(algorithm): JOSE has no signatures with this hash.")
    }
}

// MARK: the text

extension SignatureDiagnosis {
    /// Texts that are signed by mistake, with what they are.
    private var otherTexts: [(name: String, text: [UInt8])] {
        guard let dot = input.firstIndex(of: CompactToken.dot) else { return [] }
        let (header, payload) = (Array(input[..<dot]), Array(input[(dot + 1)...]))
        var texts: [(String, [UInt8])] = [
            ("the token with a line feed behind it", input + [0x0a]),
            ("the payload alone", payload),
        ]
        if let digest = try? Hash.digest(algorithm.hash, input.span) {
            texts.append(("the digest of the text, which was hashed twice", digest))
            texts.append(
                ("the digest of the text in hexadecimal", SignatureDiagnosis.digits(digest)))
        }
        if let bytes = Base64URL.decode(payload.span) {
            texts.append(("the decoded payload alone", bytes))
            texts.append(
                (
                    "the payload before base64url (RFC 7797, b64)",
                    header + [CompactToken.dot] + bytes
                ))
            if let json = Base64URL.decode(header.span) {
                texts.append(
                    ("header and payload before base64url", json + [CompactToken.dot] + bytes))
            }
        }
        return texts
    }

    /// What a digest is of.
    private func text(_ digest: [UInt8], _ hash: HashAlgorithm) -> String {
        otherTexts.first { (try? Hash.digest(hash, $0.text.span)) == digest }?.name
            ?? "the token was changed after it was signed, or something else was signed"
    }

    private func adviseText() {
        trace.advise(
            """
            The key is right and the text is not: compare the token with the one that was issued. \
            What is signed is the \
            base64url of the header, a dot and the base64url of the payload, as they are in the \
            token (RFC 7515, 5.1).
            """)
    }

    /// A signature by the right key over something else.
    private func explainOtherText() -> Bool {
        guard
            let found = otherTexts.first(where: { verifies(signature, over: $0.text, by: selected) }
            )
        else { return false }
        note("the signature is by \(name), and over another text: \(found.name)")
        adviseText()
        return true
    }
}

// MARK: other keys

extension SignatureDiagnosis {
    /// Looks for a key of the set that made the signature.
    private func explainOtherKey(isAdvising: Bool = true) {
        let material = selected.material
        let others = keys.keys.filter {
            !$0.prepared.material.kind.isDisjoint(with: algorithm.kinds)
                && !$0.prepared.material.hasSamePublicKey(as: material)
        }
        let tried = others.prefix(KeyDiagnosis.most)
        if let signer = tried.first(where: { verifies(signature, over: input, by: $0.prepared) }) {
            note(
                "\(KeyDiagnosis.name(signer)) of the set verifies it: the header names the "
                    + "wrong key"
            )
            return trace.advise(
                """
                The sender signs with one key and names another: its kid must be that of the key \
                that signs, or the key \
                set gives the kids to the wrong keys.
                """)
        }
        if others.isEmpty {
            note("there is no other key for \(algorithm) to compare with")
        } else {
            let rest = others.count > tried.count ? " of \(others.count)" : ""
            note("none of \(tried.count)\(rest) other keys for \(algorithm) verifies it either")
        }
        guard isAdvising else { return }
        trace.advise(
            algorithm.family == .hmac
                ? "The sender uses another secret, or the token was changed on the way."
                : """
                The sender signs with another key under the same kid (fetch the key set again), \
                or the token was changed \
                on the way.
                """)
    }

    /// The key that verifies a token for which none was selected; nil where there is none among the
    /// first 17.
    static func signer(
        of input: [UInt8], _ signature: [UInt8], _ algorithm: SignatureAlgorithm,
        _ keys: KeyDiagnosis
    ) -> JWK? {
        keys.keys.lazy.filter { !$0.prepared.material.kind.isDisjoint(with: algorithm.kinds) }
            .prefix(KeyDiagnosis.most + 1)
            .first { key in
                guard let operation = try? key.prepared.signature(algorithm, signing: false) else {
                    return false
                }
                do {
                    try operation.verify(input.span, signature: signature.span)
                    return true
                } catch {
                    return false
                }
            }
    }
}

// MARK: secrets that are public

extension SignatureDiagnosis {
    /// The key whose public form is the secret of a MAC: an attempt to confuse a verifier that
    /// takes any algorithm.
    static func confusion(
        _ input: [UInt8], _ signature: [UInt8], _ algorithm: SignatureAlgorithm,
        _ keys: KeyDiagnosis
    ) -> (key: JWK, form: String)? {
        let publicKeys = keys.keys.lazy.filter { $0.keyType != .oct }.prefix(KeyDiagnosis.most + 1)
        for key in publicKeys {
            for (form, secret) in forms(of: key)
            where mac(input, algorithm.hash, by: secret) == signature { return (key, form) }
        }
        return nil
    }

    private static func mac(
        _ input: [UInt8], _ hash: HashAlgorithm, by secret: [UInt8]
    ) -> [UInt8]? {
        try? HMAC.code(hash, key: secret.span, input.span)
    }

    /// What programs have at hand as the text of a public key.
    private static func forms(of key: JWK) -> [(String, [UInt8])] {
        guard let der = try? key.prepared.material.publicDER() else { return [] }
        var forms = [("DER", der)]
        let texts = [("PUBLIC KEY", der)] + (pkcs1(der).map { [("RSA PUBLIC KEY", $0)] } ?? [])
        for (label, bytes) in texts {
            let base64 = Array(StandardBase64.encode(bytes.span).utf8)
            for ending in [[UInt8(0x0a)], [0x0d, 0x0a]] {
                var pem = Array("-----BEGIN \(label)-----".utf8) + ending
                for start in stride(from: 0, to: base64.count, by: 64) {
                    pem += base64[start..<min(start + 64, base64.count)] + ending
                }
                pem += "-----END \(label)-----".utf8
                forms.append(("PEM", pem))
                forms.append(("PEM", pem + ending))
            }
        }
        if let rsa = key.prepared.material as? RSAKeyMaterial {
            let modulus = rsa.modulus
            forms.append(("modulus", modulus))
            forms.append(("modulus", Base64URL.encode(modulus.span)))
        }
        forms.append(("JWK", Array(key.publicJSON().utf8)))
        return forms
    }

    /// The RSAPublicKey in a SubjectPublicKeyInfo.
    private static func pkcs1(_ spki: [UInt8]) -> [UInt8]? {
        let der = spki.span
        guard let all = StrictDER.element(der, at: 0, before: der.count),
            let identifier = StrictDER.element(
                der, at: all.contents.lowerBound, before: der.count),
            let bits = StrictDER.element(
                der, at: identifier.contents.upperBound, before: der.count),
            bits.tag == 0x03, bits.contents.count > 1
        else { return nil }
        return Array(spki[(bits.contents.lowerBound + 1)..<bits.contents.upperBound])
    }
}
