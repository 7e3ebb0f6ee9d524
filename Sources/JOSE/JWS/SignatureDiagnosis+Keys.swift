// Finds the key that made a signature, or the public key that was used as the secret of a MAC.

import JOSEBytes
import JOSECrypto

extension SignatureDiagnosis {
    func explainOtherKey(isAdvising: Bool = true) {
        let material = selected.material
        let others = keys.keys.filter {
            !$0.prepared.material.kind.isDisjoint(with: algorithm.kinds)
                && !$0.prepared.material.hasSamePublicKey(as: material)
        }
        let tried = others.prefix(KeyDiagnosis.maxKeys)
        if let signer = tried.first(where: { verifies(signature, over: input, by: $0.prepared) }) {
            if let keyID, signer.isNamed(keyID) { return explainNamesake(signer) }
            note(
                "\(KeyDiagnosis.name(signer)) of the set verifies it: the header names the "
                    + "wrong key"
            )
            return trace.advise(
                """
                The sender signs with one key and names another: the header's kid must be that of \
                the signing key, or the key set gives the kids to the wrong keys.
                """)
        }
        if others.isEmpty {
            note("there is no other key for \(algorithm) to try")
        } else {
            let rest = others.count > tried.count ? " of \(others.count)" : ""
            note("none of \(tried.count)\(rest) other keys for \(algorithm) verifies it either")
        }
        guard isAdvising else { return }
        trace.advise(
            algorithm.family == .hmac
                ? "The sender uses another secret, or the token was changed in transit."
                : """
                The sender signs with another key under the same kid (fetch the key set again), \
                or the token was changed in transit.
                """)
    }

    /// Explains a signature by another key with the same kid.
    private func explainNamesake(_ signer: JWK) {
        var own = JWK(selected.material)
        own.keyID = keyID
        note(
            "\(KeyDiagnosis.nameWithThumbprint(signer)) verifies it, and the token selects "
                + KeyDiagnosis.nameWithThumbprint(own))
        trace.advise(
            "The publisher of the key set must give each key a kid of its own: two keys have this "
                + "kid, and the header selects the one that did not sign.")
    }

    /// Returns the key that verifies a token whose header selects none; tries the first 17.
    static func signer(
        of input: [UInt8], _ signature: [UInt8], _ algorithm: SignatureAlgorithm,
        _ keys: KeyDiagnosis
    ) -> JWK? {
        keys.keys.lazy.filter { !$0.prepared.material.kind.isDisjoint(with: algorithm.kinds) }
            .prefix(KeyDiagnosis.maxKeys + 1)
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

// MARK: public keys as secrets

extension SignatureDiagnosis {
    /// Finds the public key whose encoding is the secret of the MAC: algorithm confusion.
    static func confusion(
        _ input: [UInt8], _ signature: [UInt8], _ algorithm: SignatureAlgorithm,
        _ keys: KeyDiagnosis
    ) -> (key: JWK, form: String)? {
        let publicKeys = keys.keys.lazy.filter { $0.keyType != .oct }.prefix(
            KeyDiagnosis.maxKeys + 1)
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

    private static func forms(of key: JWK) -> [(String, [UInt8])] {
        guard let der = try? key.prepared.material.publicDER() else { return [] }
        var forms = [("DER", der)]
        let texts =
            [("PUBLIC KEY", der)]
            + (bitStringContents(ofSPKI: der).map { [("RSA PUBLIC KEY", $0)] } ?? [])
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
        if let json = try? key.publicJSON() { forms.append(("JWK", Array(json.utf8))) }
        return forms
    }

    /// The contents of the BIT STRING of a SubjectPublicKeyInfo: for an RSA key, RSAPublicKey.
    private static func bitStringContents(ofSPKI spki: [UInt8]) -> [UInt8]? {
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
