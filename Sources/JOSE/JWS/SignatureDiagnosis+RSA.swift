// Explains the padding, hash and salt of an invalid RSA signature.

import JOSEBytes
import JOSECrypto

extension SignatureDiagnosis {
    /// Explains the block inside the signature; returns false if the key cannot recover it.
    func explainBlock() -> Bool {
        guard let key = try? selected.native() else { return false }
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
        case .pss(let hash, let mask, let saltBytes, let matches):
            explain(hash, mask, saltBytes, matches)
        case .other:
            note(
                "opened with \(name), the signature contains neither a PKCS#1 v1.5 nor a PSS "
                    + "block: another key signed, or the signature was changed")
            explainOtherKey()
        }
        return true
    }

    private func explain(_ hash: RSABlock.NamedHash, _ digest: [UInt8], _ hasNull: Bool) {
        let prefix = "opened with \(name), the signature contains a PKCS#1 v1.5 block"
        guard case .known(let hash) = hash else {
            guard case .named(let hash) = hash else { return }
            note("\(prefix) of \(hash); \(algorithm) requires \(algorithm.hash.shownName)")
            return trace.advise(
                "The signer must use \(algorithm): JOSE has no signatures with this hash.")
        }
        let isOurText = (try? Hash.digest(hash, input.span)) == digest
        let prefixWithHash = "\(prefix) of \(hash.shownName)"
        guard isOurText else {
            note("\(prefixWithHash), made for another text: \(text(digest, hash))")
            return adviseText()
        }
        let used = SignatureAlgorithm.entries.first { $0.family == .rsaPKCS1 && $0.hash == hash }
        if used?.id != algorithm.id {
            note(
                "\(prefixWithHash)\(hasNull ? "" : ", without the NULL parameters,") of this text; "
                    + "\(algorithm) requires \(requirement)")
            return adviseAlgorithm(used)
        }
        note(
            "\(prefixWithHash) of this text"
                + (hasNull ? "" : ", but its DigestInfo lacks the NULL parameters (RFC 8017, 9.2)"))
        trace.advise(
            "The signer must write the DigestInfo of RFC 8017: with NULL parameters and nothing "
                + "else.")
    }

    private func explain(bare bytes: [UInt8]) {
        let prefix = "opened with \(name), the signature contains a PKCS#1 v1.5 block"
        let found = HashAlgorithm.allCases.first {
            (try? Hash.digest($0, input.span)) == bytes
        }
        guard let found else {
            note("\(prefix) of \(bytes.count) bytes without DigestInfo")
            return trace.advise(
                "The signer must put the digest into a DigestInfo (RFC 8017, 9.2), or it "
                    + "signed another text."
            )
        }
        note("\(prefix) of the bare \(found.shownName) digest, without DigestInfo")
        trace.advise(
            """
            The signer must put the digest into a DigestInfo (RFC 8017, 9.2): with OpenSSL set \
            the digest (EVP_PKEY_CTX_set_signature_md), with PKCS#11 use CKM_SHA256_RSA_PKCS \
            instead of CKM_RSA_PKCS.
            """)
    }

    private func explain(
        _ hash: HashAlgorithm, _ mask: HashAlgorithm, _ saltBytes: Int, _ matches: Bool
    ) {
        let what =
            "opened with \(name), the signature contains a PSS block of \(hash.shownName) with a "
            + "salt of \(saltBytes) bytes"
            + (mask == hash ? "" : " and MGF1 of \(mask.shownName)")
        guard matches else {
            note("\(what), made for another text")
            return adviseText()
        }
        note("\(what); \(algorithm) requires \(requirement)")
        let used = SignatureAlgorithm.entries.first { $0.family == .rsaPSS && $0.hash == hash }
        guard used?.id == algorithm.id else { return adviseAlgorithm(used) }
        trace.advise(
            mask == hash
                ? """
                The signer must set the length of the salt to that of the digest, \
                \(hash.digestBytes) bytes (RFC 7518, 3.5): in OpenSSL RSA_PSS_SALTLEN_DIGEST, in \
                Java PSSParameterSpec.
                """
                : """
                The signer must set MGF1 to \(hash.shownName) too (RFC 7518, 3.5): in Java give \
                PSSParameterSpec the MGF1ParameterSpec of that hash, since the default is SHA-1.
                """)
    }

    private var requirement: String {
        let hash = algorithm.hash
        return algorithm.family == .rsaPSS
            ? "a PSS block of \(hash.shownName), MGF1 of \(hash.shownName) and a salt of "
                + "\(hash.digestBytes) bytes (RFC 7518, 3.5)"
            : "a PKCS#1 v1.5 block of \(hash.shownName) (RFC 7518, 3.3)"
    }

    private func adviseAlgorithm(_ used: SignatureAlgorithm?) {
        trace.advise(
            used.map {
                "The signer uses \($0) and writes alg \(algorithm) into the header: one of the "
                    + "two must change."
            } ?? "The signer must use \(algorithm): JOSE has no signatures with this hash.")
    }
}
