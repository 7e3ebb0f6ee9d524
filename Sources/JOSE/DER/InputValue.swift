// Files of certificates or of revocation lists as a program has them: one value in DER, any number
// in PEM or PKCS#7.

import JOSEBytes
import JOSECrypto

/// One DER value of a file, and where it came from.
package struct InputValue: Sendable {
    package let der: [UInt8]
    package let place: JOSEError.Input

    /// Whether it comes from PKCS#7, where the order of values means nothing.
    package let isFromSet: Bool

    /// The most PEM blocks of a file, and the most values in all of them.
    private static let maxValues = 1_000

    /// The values of some files of one kind, in order; nothing is known of them but their form.
    ///
    /// A file is one DER value, PEM, PKCS#7 with values of this kind in DER or PEM, or base64 of
    /// one of these.
    ///
    /// - Throws: `malformed` for what is none of them, or a block with another label; `unsupported`
    ///   for a file that `ForeignFile` names; `limitExceeded` for more than 1,000 values in one
    ///   file, all its blocks together. The error's `input` names the file and the block.
    package static func all(
        _ kind: JOSEError.Input.Kind, in files: [[UInt8]]
    ) throws(JOSEError) -> [InputValue] {
        var values: [InputValue] = []
        for (index, file) in files.enumerated() {
            let place = JOSEError.Input(kind, index)
            do throws(JOSEError) {
                try read(file.span, place, isEncoded: true, into: &values)
            } catch {
                throw error.input == nil
                    ? JOSEError(error.code, .certificate, of: error).of(place) : error
            }
        }
        return values
    }

    private static func read(
        _ file: Span<UInt8>, _ place: JOSEError.Input, isEncoded: Bool,
        into values: inout [InputValue]
    ) throws(JOSEError) {
        // DER first: a certificate may hold lines that look like PEM.
        if StrictDER.isOneValue(file) || PKCS7.isMeant(file) {
            values += try InputValue.values(file, place, besides: 0)
        } else if PEM.isText(file) {
            try read(text: file, place, into: &values)
        } else if let error = ForeignFile.error(file) {
            throw error
        } else if isEncoded, let decoded = Base64File.decoded(file) {
            try decoded.withSpan { (file) throws(JOSEError) in
                try read(file, place, isEncoded: false, into: &values)
            }
        } else {
            throw .malformed(.certificate, "neither PEM nor one DER value")
        }
    }

    private static func read(
        text file: Span<UInt8>, _ place: JOSEError.Input, into values: inout [InputValue]
    ) throws(JOSEError) {
        let count = PEM.blockCount(file)
        guard count <= maxValues else {
            throw .limitExceeded(
                .certificate, "the PEM file has {} blocks; at most {} are read", .number(count),
                .number(maxValues))
        }
        var reader = PEMReader()
        let start = values.count
        for number in 0..<count {
            let place = count == 1 ? place : place.block(number)
            do throws(JOSEError) {
                guard let block = try reader.next(file) else { return }
                try values += InputValue.values(block, place, besides: values.count - start)
            } catch {
                throw JOSEError(error.code, .certificate, of: error).of(place)
            }
        }
    }

    private static func values(
        _ block: PEMBlock, _ place: JOSEError.Input, besides count: Int
    ) throws(JOSEError) -> [InputValue] {
        try block.contents.withSpan { (der) throws(JOSEError) in
            let isSet = PKCS7.isMeant(der)
            guard place.kind.hasLabel(block.label) || isSet else {
                throw .malformed(.certificate, place.kind.otherLabel)
            }
            guard isSet || StrictDER.isOneValue(der) else {
                throw .malformed(.certificate, "the PEM block holds no DER value, or more than one")
            }
            return try values(der, place, besides: count)
        }
    }

    /// The value itself, or those in PKCS#7.
    private static func values(
        _ der: Span<UInt8>, _ place: JOSEError.Input, besides count: Int
    ) throws(JOSEError) -> [InputValue] {
        guard PKCS7.isMeant(der) else {
            guard count < maxValues else { throw PKCS7.tooMany(maxValues) }
            let bytes = [UInt8](capacity: der.count) { $0.append(copying: der) }
            return [InputValue(der: bytes, place: place, isFromSet: false)]
        }
        let contents = try PKCS7(der, atMost: maxValues, existing: count)
        let isList = place.kind == .revocationList
        let values = isList ? contents.revocationLists : contents.certificates
        guard !values.isEmpty else {
            throw isList
                ? .malformed(.certificate, "the PKCS#7 file holds no revocation list")
                : .malformed(.certificate, "the PKCS#7 file holds no certificate")
        }
        return values.map { InputValue(der: $0, place: place, isFromSet: true) }
    }
}

extension JOSEError.Input.Kind {
    /// The labels of PEM blocks (RFC 7468, 5 and 6).
    package var labels: [String] {
        switch self {
        // An older name, and OpenSSL's for one that may have trust settings of its own behind it: those are rejected.
        case .anchor, .certificate: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        case .revocationList: ["X509 CRL"]
        case .key: []
        }
    }

    func hasLabel(_ label: String) -> Bool { labels.contains { label.isExactly($0) } }

    fileprivate var otherLabel: StaticString {
        switch self {
        case .anchor, .certificate: "the PEM block is no certificate"
        case .revocationList: "the PEM block is no revocation list"
        case .key: "the PEM block is no key"
        }
    }
}
