// Reads the keys and certificates of PKCS#12 files, with their names.

import JOSEBytes
import JOSECrypto

extension KeyFileContents {
    mutating func readPKCS12(
        _ bytes: Span<UInt8>, _ password: SecretBytes, _ limits: JOSELimits,
        _ work: inout PasswordWork
    ) throws(JOSEError) {
        let contents: PKCS12Contents
        do {
            contents = try PKCS12Contents(
                bytes, password: password,
                maxIterations: EncryptedPKCS8.iterations.upperBound, work: &work)
        } catch {
            throw JOSEError(error)
        }
        for (position, key) in contents.keys.enumerated() {
            let attributes = Attributes(contents.keyAttributes[position])
            do throws(JOSEError) {
                try key.withSpan { (der) throws(JOSEError) in
                    let format = Format.recognised(der)
                    guard let format, format == .pkcs8 || format == .encryptedPKCS8 else {
                        throw .malformed(
                            .key, "a key in the PKCS#12 file has an unknown format")
                    }
                    try readDER(format, der, password, limits, &work, attributes)
                }
            } catch {
                try leaveOut(ForeignFile.inPKCS12(error), position, isKey: true)
            }
        }
        for (position, certificate) in contents.certificates.enumerated() {
            do throws(JOSEError) {
                try readDER(
                    .certificate, certificate.span, nil, limits, &work,
                    Attributes(contents.certificateAttributes[position]))
            } catch {
                try leaveOut(error, position, isKey: false)
            }
        }
        guard contents.otherBagCount > 0 else { return }
        warnings.append(
            Warning(
                "\(contents.otherBagCount) bags that are no keys and no certificates were left out",
                isOmission: true))
    }
}

extension KeyFileContents.Attributes {
    /// The name is UTF-16 of other programs; invalid UTF-16 is repaired.
    fileprivate init(_ attributes: PKCS12Contents.Attributes) {
        let bytes = attributes.friendlyName
        let units = stride(from: 0, to: bytes.count - bytes.count % 2, by: 2).map {
            UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
        }
        let text = String(decoding: units, as: UTF16.self)
        name = text.isEmpty ? nil : text
        localKeyID = attributes.localKeyID
    }
}

extension JOSEError {
    fileprivate init(_ failure: PKCS12Error) {
        switch failure {
        case .malformed: self = .malformed(.key, "the PKCS#12 file is malformed")
        case .legacy: self = ForeignFile.legacyPKCS12
        case .scrypt: self = ForeignFile.otherPKCS12
        case .pbmac1: self = ForeignFile.pbmac1
        case .notWithFIPS:
            self = .unsupported(
                .key,
                """
                PKCS#12 files cannot be read with the FIPS provider; convert the file to PEM with \
                `openssl pkcs12`, on a machine without FIPS
                """)
        case .noMAC: self = .malformed(.key, "the PKCS#12 file has no MAC")
        case .iterations:
            self = .limitExceeded(
                .key,
                "the PKCS#12 file needs too many iterations (JOSELimits.keyFileIterations)"
            )
        case .password:
            self = JOSEError(
                .decryptionFailed, .key, "the password is wrong or the PKCS#12 file is corrupt")
        case .tooMany:
            self = .limitExceeded(.key, "the PKCS#12 file has too many keys, certificates or bags")
        case .longPassword:
            self = .limitExceeded(
                .key, "the password for a PKCS#12 file is longer than 1,024 bytes")
        case .failure: self = .internalFailure
        }
    }
}
