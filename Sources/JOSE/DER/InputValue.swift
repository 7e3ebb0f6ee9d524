// Reads the certificates or revocation lists of files: one in DER, several in PEM or PKCS#7.

import JOSEBytes
import JOSECrypto

/// A certificate or revocation list in DER, and the file and block that had it, for errors.
package struct InputValue: Sendable {
    package let der: [UInt8]
    package let input: JOSEError.Input

    /// Whether the value is from PKCS#7, where the order has no meaning.
    package let isFromPKCS7: Bool

    /// The maximum number of values of one file, and of its PEM blocks.
    private static let maxValues = 1_000

    /// Returns the values of several files of one kind, in order; checks only their format.
    ///
    /// - Throws: `malformed` for a block with a label of another kind (PKCS#7 may have any label),
    ///   for PKCS#7 without such a value, or for a file that is not DER, PEM, PKCS#7 or base64 of
    ///   one of these; the errors of `ForeignFile` and `PKCS7`; `limitExceeded` for more than 1,000
    ///   values in one file. The error's `input` names the file and the block.
    package static func all(
        _ kind: JOSEError.Input.Kind, in files: [[UInt8]]
    ) throws(JOSEError) -> [InputValue] {
        var values: [InputValue] = []
        for (index, file) in files.enumerated() {
            let input = JOSEError.Input(kind, index)
            do throws(JOSEError) {
                try read(file.span, input, allowsBase64: true, into: &values)
            } catch {
                throw error.input == nil
                    ? JOSEError(error.code, .certificate, of: error).of(input) : error
            }
        }
        return values
    }

    private static func read(
        _ file: Span<UInt8>, _ input: JOSEError.Input, allowsBase64: Bool,
        into values: inout [InputValue]
    ) throws(JOSEError) {
        // DER first: a certificate may contain text that looks like PEM.
        if StrictDER.isOneValue(file) || PKCS7.isRecognised(file) {
            values += try InputValue.values(file, input, existing: 0)
        } else if PEM.isText(file) {
            try read(text: file, input, into: &values)
        } else if let error = ForeignFile.error(file) {
            throw error
        } else if allowsBase64, let decoded = Base64File.decoded(file) {
            try decoded.withSpan { (file) throws(JOSEError) in
                try read(file, input, allowsBase64: false, into: &values)
            }
        } else {
            throw .malformed(.certificate, "the file is neither PEM nor one DER value")
        }
    }

    private static func read(
        text file: Span<UInt8>, _ input: JOSEError.Input, into values: inout [InputValue]
    ) throws(JOSEError) {
        let count = PEM.blockCount(file)
        guard count <= maxValues else {
            throw .limitExceeded(
                .certificate, "the PEM file has {} blocks; at most {} are accepted", .number(count),
                .number(maxValues))
        }
        var reader = PEMReader()
        let start = values.count
        for number in 0..<count {
            let input = count == 1 ? input : input.block(number)
            do throws(JOSEError) {
                guard let block = try reader.next(file) else { return }
                try values += InputValue.values(block, input, existing: values.count - start)
            } catch {
                throw JOSEError(error.code, .certificate, of: error).of(input)
            }
        }
    }

    private static func values(
        _ block: PEMBlock, _ input: JOSEError.Input, existing count: Int
    ) throws(JOSEError) -> [InputValue] {
        try block.contents.withSpan { (der) throws(JOSEError) in
            let isPKCS7 = PKCS7.isRecognised(der)
            guard input.kind.hasLabel(block.label) || isPKCS7 else {
                throw .malformed(.certificate, input.kind.wrongLabel)
            }
            guard isPKCS7 || StrictDER.isOneValue(der) else {
                throw .malformed(.certificate, "the PEM block is not exactly one DER value")
            }
            return try values(der, input, existing: count)
        }
    }

    private static func values(
        _ der: Span<UInt8>, _ input: JOSEError.Input, existing count: Int
    ) throws(JOSEError) -> [InputValue] {
        guard PKCS7.isRecognised(der) else {
            guard count < maxValues else { throw PKCS7.tooMany(maxValues) }
            let bytes = [UInt8](capacity: der.count) { $0.append(copying: der) }
            return [InputValue(der: bytes, input: input, isFromPKCS7: false)]
        }
        let contents = try PKCS7(der, atMost: maxValues, existing: count)
        let isList = input.kind == .revocationList
        let values = isList ? contents.revocationLists : contents.certificates
        guard !values.isEmpty else {
            throw isList
                ? .malformed(.certificate, "the PKCS#7 file has no revocation list")
                : .malformed(.certificate, "the PKCS#7 file has no certificate")
        }
        return values.map { InputValue(der: $0, input: input, isFromPKCS7: true) }
    }
}

extension JOSEError.Input.Kind {
    /// The labels of PEM blocks (RFC 7468, 5 and 6).
    package var labels: [String] {
        switch self {
        // X509 CERTIFICATE is an older label. TRUSTED CERTIFICATE is a label of OpenSSL; a block
        // with trust settings after the certificate is rejected.
        case .anchor, .certificate: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        case .revocationList: ["X509 CRL"]
        case .key: []
        }
    }

    func hasLabel(_ label: String) -> Bool { labels.contains { label.isExactly($0) } }

    fileprivate var wrongLabel: StaticString {
        switch self {
        case .anchor, .certificate: "the PEM block is not a certificate"
        case .revocationList: "the PEM block is not a revocation list"
        case .key: "the PEM block is not a key"
        }
    }
}
