// Files of certificates or of revocation lists as a program has them: one value in DER, or any number in PEM.

import JOSEBytes
import JOSECrypto

/// One DER value of a file, and where it came from.
package struct InputValue: Sendable {
    package let der: [UInt8]
    package let place: JOSEError.Input

    private static let mostBlocks = 1_000

    /// The values of some files of one kind, in order; nothing is known of them but their form.
    ///
    /// - Throws: `malformed` for what is neither PEM nor one DER value, or a block with another label;
    ///   `limitExceeded` for too many blocks. The error's `input` names the file and the block.
    package static func all(
        _ kind: JOSEError.Input.Kind, in files: [[UInt8]]
    ) throws(JOSEError) -> [InputValue] {
        var values: [InputValue] = []
        for (index, file) in files.enumerated() {
            let place = JOSEError.Input(kind, index)
            // DER first: a certificate may hold lines that look like PEM.
            if StrictDER.isOneValue(file.span) {
                values.append(InputValue(der: file, place: place))
            } else {
                try read(text: file.span, place, into: &values)
            }
        }
        return values
    }

    private static func read(
        text file: Span<UInt8>, _ place: JOSEError.Input, into values: inout [InputValue]
    ) throws(JOSEError) {
        let count = PEM.blockCount(file)
        guard count > 0 else {
            throw JOSEError(.malformed, .certificate, "neither PEM nor one DER value").of(place)
        }
        guard count <= mostBlocks else {
            throw JOSEError(.limitExceeded, .certificate, "the PEM file has too many blocks")
                .of(place)
        }
        var reader = PEMReader()
        for number in 0..<count {
            let place = count == 1 ? place : place.block(number)
            do throws(JOSEError) {
                guard let block = try reader.next(file) else { return }
                values.append(InputValue(der: try der(block, place.kind), place: place))
            } catch {
                throw JOSEError(error.code, .certificate, error.reason).of(place)
            }
        }
    }

    private static func der(
        _ block: PEMBlock, _ kind: JOSEError.Input.Kind
    ) throws(JOSEError) -> [UInt8] {
        guard kind.labels.contains(block.label) else {
            throw .malformed(.certificate, kind.otherLabel)
        }
        return try block.contents.withSpan { (der) throws(JOSEError) in
            guard StrictDER.isOneValue(der) else {
                throw .malformed(.certificate, "the PEM block holds no DER value, or more than one")
            }
            return [UInt8](capacity: der.count) { $0.append(copying: der) }
        }
    }
}

extension JOSEError.Input.Kind {
    /// The labels of PEM blocks (RFC 7468, 5 and 6).
    package var labels: [String] {
        switch self {
        // An older name, and OpenSSL's for one that may have trust settings of its own behind it: those are refused.
        case .anchor, .certificate: ["CERTIFICATE", "X509 CERTIFICATE", "TRUSTED CERTIFICATE"]
        case .revocationList: ["X509 CRL"]
        }
    }

    fileprivate var otherLabel: StaticString {
        switch self {
        case .anchor, .certificate: "the PEM block is no certificate"
        case .revocationList: "the PEM block is no revocation list"
        }
    }
}
