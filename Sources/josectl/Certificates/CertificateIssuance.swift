// The certificates of `keys certify`: their issuer, subject and validity.

import JOSE
import JOSEBytes
import JOSEPKCS11

struct CertificateIssuance {
    private enum Source {
        case selfSigned, request
        case authority(JWK)
        case chain([[UInt8]], path: String)
    }
    private let source: Source
    private let subject: CertificateSubject?
    private let start: NumericDate
    private let end: NumericDate

    nonisolated(nonsending) init(_ invocation: Invocation) async throws {
        let line = invocation.line
        let choices = ["self-signed", "ca", "csr", "chain"].filter(line.has)
        guard choices.count == 1 else {
            throw UsageError("choose one of --self-signed, --ca, --csr and --chain")
        }
        guard line.has("ca") == line.has("ca-key") else {
            throw UsageError("--ca and --ca-key require each other")
        }
        let days = try line.integer("days", 1...3_650) ?? 365
        start = .now
        guard let end = NumericDate(exactly: start.seconds + Int64(days) * 86_400) else {
            throw UsageError("--days ends after the year 9999")
        }
        self.end = end
        subject = try line["subject"].map(CertificateIssuance.parseSubject)
        switch choices[0] {
        case "self-signed": source = .selfSigned
        case "csr": source = .request
        case "chain":
            let path = try line.required("chain")
            source = .chain(try CertificateFile.certificates(path), path: path)
        default:
            let key = try await CertificateIssuance.authorityKey(invocation)
            let path = try line.required("ca")
            let chain = try CertificateFile.certificates(path)
            source = .authority(try Rejection.naming(path) { try key.withCertificates(chain) })
        }
    }

    nonisolated(nonsending) private static func authorityKey(
        _ invocation: Invocation
    ) async throws -> JWK {
        let word = try invocation.line.required("ca-key")
        let password = try invocation.password("password-file")
        guard PKCS11URI.isURI(word) else {
            return try ImportedFile(word, password?.bytes).key()
        }
        guard password == nil else {
            throw UsageError("--password-file is for key files, not for pkcs11: URIs")
        }
        return try await invocation.requireExternalKeys().jwk(PKCS11URI(word: word))
    }

    /// Puts the key file's name before errors of its keys, but not before `misuse` by an option.
    nonisolated(nonsending) func naming<Result>(
        _ path: String, _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result {
        do {
            return try await body()
        } catch let error as JOSEError where error.code != .misuse {
            return try Rejection.naming(path) { throw error }
        }
    }

    func subject(_ key: JWK) -> CertificateSubject {
        subject ?? CertificateSubject(commonName: key.keyID ?? "key")
    }

    /// Returns all keys. Only keys for which `isSelected` is true get certificates.
    nonisolated(nonsending) func certified(
        _ keys: [JWK], where isSelected: (JWK) -> Bool
    ) async throws -> [JWK] {
        if case .chain(let chain, let path) = source {
            return try Rejection.naming(path) { try attached(chain, keys, isSelected) }
        }
        var result: [JWK] = []
        for key in keys { result.append(isSelected(key) ? try await certified(key) : key) }
        return result
    }

    nonisolated(nonsending) private func certified(_ key: JWK) async throws -> JWK {
        let (subject, time) = (subject(key), ExternalKeys.timeout)
        switch source {
        case .selfSigned:
            return try await key.withSelfSignedCertificate(
                subject: subject, from: start, until: end, timeout: time)
        case .authority(let authority):
            return try await key.withCertificate(
                issuedBy: authority, subject: subject, from: start, until: end, timeout: time)
        case .request, .chain: return key
        }
    }

    nonisolated(nonsending) func request(for key: JWK) async throws -> [UInt8] {
        try await key.certificateRequest(
            subject: subject(key), .pem, timeout: ExternalKeys.timeout)
    }

    /// Rejects a chain with a certificate that is not valid now, as every reader would.
    private func attached(
        _ chain: [[UInt8]], _ keys: [JWK], _ isSelected: (JWK) -> Bool
    ) throws -> [JWK] {
        var rejection = JOSEError.keyUnusable("no certificate holds one of the keys")
        var isAttached = false
        let result = try keys.map { key in
            guard isSelected(key) else { return key }
            let certified: JWK
            do throws(JOSEError) {
                certified = try key.withCertificates(chain)
            } catch {
                rejection = error
                return key
            }
            for certificate in certified.certificateChain ?? [] { try checkValid(certificate) }
            isAttached = true
            return certified
        }
        guard isAttached else { throw rejection }
        return result
    }

    private func checkValid(_ certificate: [UInt8]) throws(JOSEError) {
        let outline = try CertificateOutline(certificate.span)
        guard start.seconds <= outline.notAfter.seconds else {
            throw .keyUnusable("a certificate has expired")
        }
        guard outline.notBefore <= start else {
            throw .keyUnusable("a certificate is not valid yet")
        }
    }

    private static func parseSubject(_ text: String) throws -> CertificateSubject {
        do throws(JOSEError) {
            return try CertificateSubject(distinguishedName: text)
        } catch {
            throw UsageError("--subject: \(error.reason)")
        }
    }
}
