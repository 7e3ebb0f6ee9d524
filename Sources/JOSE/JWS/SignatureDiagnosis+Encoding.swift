// Explains the encoding and the size of an invalid signature.

import JOSEBytes
import JOSECrypto

extension SignatureDiagnosis {
    private var requiredBytes: Int? {
        (try? selected.signature(algorithm, signing: false))?.signatureBytes
    }

    /// Explains ECDSA signatures in DER, as X.509, Java and key services write them.
    func explainDER() -> Bool {
        guard let required = requiredBytes,
            let value = SignatureDiagnosis.rawSignature(fromDER: signature, byteCount: required)
        else { return false }
        let ending =
            verifies(value, over: input, by: selected)
            ? "converted, it verifies with \(name)"
            : "converted, it does not verify with \(name) either"
        note(
            "the signature is in DER (\(size), SEQUENCE of two INTEGERs); \(algorithm) requires R "
                + "followed by S, \(required) bytes (RFC 7518, 3.4); \(ending)")
        trace.advise(
            """
            The signer must convert the output of its key service or library from DER to R || S: \
            in Java SHA256withECDSAinP1363Format, in .NET IeeeP1363FixedFieldConcatenation.
            """)
        return true
    }

    /// R || S, `count` bytes, of a signature in DER or nearly DER; nil for any other bytes.
    static func rawSignature(fromDER signature: [UInt8], byteCount count: Int) -> [UInt8]? {
        guard signature.first == DER.sequence else { return nil }
        var value = [UInt8](repeating: 0, count: count)
        var out = value.mutableSpan
        guard ECDSAValue.read(signature.span, into: &out) else {
            return rawSignature(fromLaxDER: signature, byteCount: count)
        }
        return value
    }

    /// As `rawSignature(fromDER:byteCount:)`, for INTEGERs with needless or missing leading zeros.
    private static func rawSignature(fromLaxDER signature: [UInt8], byteCount count: Int)
        -> [UInt8]?
    {
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
            guard digits.count <= count / 2 else { return nil }
            value += [UInt8](repeating: 0, count: count / 2 - digits.count) + digits
        }
        return value
    }

    /// Explains a signature that is hexadecimal or base64 text inside base64url.
    func explainEncodedTwice() -> Bool {
        guard signature.count >= 32, signature.allSatisfy({ 0x20 < $0 && $0 < 0x7f }) else {
            return false
        }
        let (kind, decoded): (String, [UInt8]?) =
            signature.allSatisfy({ $0.hexadecimalValue != nil })
            ? ("hexadecimal", SignatureDiagnosis.decodeHex(signature))
            : ("base64", TokenOutline.base64(signature))
        guard let decoded else { return false }
        let matches = verifies(decoded, over: input, by: selected)
        note(
            "the signature is text: \(kind) of \(decoded.count) bytes, encoded again"
                + (matches ? "; decoded, it verifies with \(name)" : ""))
        trace.advise("The signer must encode the bytes of the signature only once, as base64url.")
        return true
    }

    private static func decodeHex(_ text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 2) else { return nil }
        let digits = text.map { $0.hexadecimalValue ?? 0 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    static func hexText(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    func explainSize() -> Bool {
        guard let required = requiredBytes, required != signature.count else { return false }
        let usual =
            SignatureDiagnosis.algorithmsBySize[signature.count].map { ", the size of \($0)" } ?? ""
        note("the signature has \(size)\(usual); \(algorithm) with \(name) has \(required) bytes")
        trace.advise(
            signature.count < required
                ? "The signature was cut off, or made by another algorithm or key than the "
                    + "header names."
                : "The signature was made by another algorithm or key than the header names.")
        explainOtherKey(isAdvising: false)
        return true
    }

    /// Indexed by the size of the signature in bytes.
    private static let algorithmsBySize: [Int: String] = [
        20: "HMAC with SHA-1", 32: "HS256", 48: "HS384", 64: "ES256, Ed25519 or HS512",
        96: "ES384", 114: "Ed448", 132: "ES512", 128: "RSA with 1,024 bits",
        256: "RSA with 2,048 bits", 384: "RSA with 3,072 bits", 512: "RSA with 4,096 bits",
        2_420: "ML-DSA-44", 3_309: "ML-DSA-65", 4_627: "ML-DSA-87",
    ]
}
