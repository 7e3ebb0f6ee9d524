// The encoding and the size of a signature that does not verify.

import JOSEBytes
import JOSECrypto

extension SignatureDiagnosis {
    private var wantedBytes: Int? {
        (try? selected.signature(algorithm, signing: false))?.signatureBytes
    }

    /// ECDSA in DER, which X.509, Java and key services write.
    func explainDER() -> Bool {
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
    func explainEncodedTwice() -> Bool {
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
    static func digits(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    }

    /// A signature of another size than the algorithm's.
    func explainSize() -> Bool {
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
