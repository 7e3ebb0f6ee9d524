// Writes one compact JWE.

import JOSEBytes
import JOSECrypto

/// The protected header of all messages of an encrypter.
enum MessageHeader: Sendable {
    /// The base64url text of a header that is the same for all messages.
    case fixed([UInt8])
    case template(HeaderTemplate)

    init(json: [UInt8], _ layout: RecipientHeaderLayout, _ options: RecipientOptions) {
        if layout.isEmpty {
            self = .fixed(Base64URL.encode(json.span))
        } else {
            self = .template(HeaderTemplate(json: json, layout, options))
        }
    }

    var encodedCount: Int {
        switch self {
        case .fixed(let encoded): encoded.count
        case .template(let template): Base64URL.encodedCount(template.count)
        }
    }
}

struct OutgoingMessage {
    let operation: KeyManagementOperation
    let content: ContentAlgorithm
    let encryptedKeyBytes: Int
    let ciphertextBytes: Int
    let chosen: ChosenParameters

    private var counts: (Int, Int, Int, Int) {
        (encryptedKeyBytes, content.ivBytes, ciphertextBytes, content.tagBytes)
    }

    /// Appends a token with a fixed header.
    ///
    /// The encrypted key, IV, ciphertext and tag are created together. So one call writes the bytes
    /// of all four parts. Each part's bytes are at the end of the space for its base64url text, and
    /// are then encoded in place.
    func append(
        _ plaintext: Span<UInt8>, _ header: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        out.append(copying: header)
        out.append(0x2e)
        try out.appendBase64URLParts(counts: counts) {
            (encryptedKey, iv, ciphertext, tag) throws(JOSEError) in
            do throws(CryptoError) {
                try operation.seal(
                    plaintext, content: content, aad: header, encryptedKey: &encryptedKey, iv: &iv,
                    ciphertext: &ciphertext, tag: &tag)
            } catch {
                throw JOSEError(error, ifRejected: .internalFailure)
            }
        }
    }

    /// Appends a token with header parameters: wraps the key, writes the header with the resulting
    /// parameters, then encrypts the content, since the tag covers the header.
    func append(
        _ plaintext: Span<UInt8>, _ header: HeaderTemplate, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        try withScratch(of: UInt8.self, capacity: max(encryptedKeyBytes, 1)) {
            (encryptedKey) throws(JOSEError) in
            encryptedKey.append(repeating: 0, count: encryptedKeyBytes)
            try withScratch(of: UInt8.self, capacity: operation.parameterBytes) {
                (parameters) throws(JOSEError) in
                parameters.append(repeating: 0, count: operation.parameterBytes)
                let key = try begin(&encryptedKey, &parameters)
                try withScratch(of: UInt8.self, capacity: Base64URL.encodedCount(header.count)) {
                    (encoded) throws(JOSEError) in
                    encode(header, parameters.span, to: &encoded)
                    out.append(copying: encoded.span)
                    out.append(0x2e)
                    try finish(key, plaintext, encoded.span, encryptedKey.span, to: &out)
                }
            }
        }
    }

    private func begin(
        _ encryptedKey: inout OutputSpan<UInt8>, _ parameters: inout OutputSpan<UInt8>
    ) throws(JOSEError) -> ContentKey {
        let parties = chosen.parties
        var keySpan = encryptedKey.mutableSpan
        var parameterSpan = parameters.mutableSpan
        do throws(CryptoError) {
            return try operation.begin(
                content, chosen.parameters, in: parties.span, encryptedKey: &keySpan,
                parameters: &parameterSpan)
        } catch {
            throw JOSEError(error, ifRejected: .internalFailure)
        }
    }

    private func encode(
        _ header: HeaderTemplate, _ parameters: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) {
        withScratch(of: UInt8.self, capacity: header.count) { text in
            header.append(parameters, to: &text)
            out.appendBase64URL(of: text.span)
        }
    }

    private func finish(
        _ key: borrowing ContentKey, _ plaintext: Span<UInt8>, _ aad: Span<UInt8>,
        _ wrapped: Span<UInt8>, to out: inout OutputSpan<UInt8>
    ) throws(JOSEError) {
        try out.appendBase64URLParts(counts: counts) {
            (encryptedKey, iv, ciphertext, tag) throws(JOSEError) in
            for index in wrapped.indices { encryptedKey[index] = wrapped[index] }
            do throws(CryptoError) {
                try key.finish(
                    plaintext, aad: aad, iv: &iv, ciphertext: &ciphertext, tag: &tag)
            } catch {
                throw JOSEError(error, ifRejected: .internalFailure)
            }
        }
    }
}
