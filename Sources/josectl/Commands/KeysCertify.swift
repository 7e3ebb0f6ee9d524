// josectl keys certify: certificates for our keys: self-signed, by a local authority, or asked for and attached.

import JOSE
import JOSEBytes

extension Command {
    static let keysCertify = Command(
        name: "keys certify",
        summary: "put certificates on keys, or ask an authority for one",
        arguments: "[FILE]", argumentCount: 1,
        details: """
            FILE is a private JWK or JWK Set. Choose one of --self-signed (for a sandbox), --ca with
            --ca-key, --csr, or --chain. The result is the set with x5c, leaf first, and x5t#S256; a
            request is PEM. keyUsage follows the key's use. The certificate of --ca must allow to issue
            others, be valid now and hold the key of --ca-key.
            """,
        options: [
            .flag("self-signed", "certificates that the keys sign themselves"),
            .value("ca", "FILE", "the authority's certificate, and its own issuers behind it"),
            .value("ca-key", "FILE", "the authority's private key"),
            .value("password-file", "FILE", "the password of the authority's key"),
            .flag("csr", "write a certificate request (PKCS#10)"),
            .value("chain", "FILE", "attach the certificates that an authority issued"),
            .value("subject", "NAME", "as CN=name,O=organisation,C=BE (default: CN is the kid)"),
            .value("days", "N", "how long the certificate is valid, 1 to 3650 (default 365)"),
            .keyID, .out, .force,
        ],
        example: "josectl keys certify private.jwks --csr --kid sig-1 --out sig-1.csr"
    ) { invocation in
        let line = invocation.line
        if !line.has("csr") { _ = try line.required("out") }
        let plan = try CertifyPlan(invocation)
        let path = line.arguments.first ?? "-"
        let file = try KeyFile(path)
        if line.has("csr") {
            let key = try file.only(line["kid"])
            let request = try plan.naming(path) {
                try key.certificateRequest(subject: plan.subject(key), .pem)
            }
            try invocation.outputs.write(request, .open)
            return .accepted
        }
        let set = try file.ownSet()
        if let skipped = set.skipped.first {
            throw Refusal(
                .keyUnusable, step: "key-set",
                message: "\(printable(path)): key \(skipped.index + 1): \(skipped.reason)")
        }
        guard set.keys.contains(where: { $0.isMeant(by: line["kid"]) }) else {
            let reason = set.keys.isEmpty ? "there is no key" : "no key has this kid"
            throw Refusal(
                .keyNotFound, step: "key", message: "\(printable(path)): \(reason)")
        }
        let keys = try plan.naming(path) {
            try plan.certified(set.keys) { $0.isMeant(by: line["kid"]) }
        }
        let certified = JWKSet(keys: keys)
        let isPrivate = keys.contains(where: \.isPrivate)
        let text =
            try isPrivate ? certified.privateJSON() : certified.publicKeys.json()
        let bytes = Array(text.utf8) + [0x0a]
        try invocation.outputs.write(bytes, isPrivate ? .secret : .open)
        return .accepted
    }
}

/// What the options ask for.
private struct CertifyPlan {
    private enum Issuance {
        case selfSigned, request
        case authority(JWK)
        case chain([[UInt8]], path: String)
    }
    private let issuance: Issuance
    private let subject: CertificateSubject?
    private let start: NumericDate
    private let end: NumericDate

    init(_ invocation: Invocation) throws {
        let line = invocation.line
        let ways = ["self-signed", "ca", "csr", "chain"].filter(line.has)
        guard ways.count == 1 else {
            throw UsageError("choose one of --self-signed, --ca, --csr and --chain")
        }
        guard line.has("ca") == line.has("ca-key") else {
            throw UsageError("--ca and --ca-key belong together")
        }
        let days = try line.integer("days", 1...3_650) ?? 365
        start = .now
        guard let end = NumericDate(exactly: start.seconds + Int64(days) * 86_400) else {
            throw UsageError("--days ends after the year 9999")
        }
        self.end = end
        subject = try line["subject"].map(CertifyPlan.subject)
        switch ways[0] {
        case "self-signed": issuance = .selfSigned
        case "csr": issuance = .request
        case "chain":
            let path = try line.required("chain")
            issuance = .chain(try CertificateFile.certificates(path), path: path)
        default:
            let password = try invocation.password("password-file")
            let key = try ImportedFile(try line.required("ca-key"), password).key()
            let path = try line.required("ca")
            let chain = try CertificateFile.certificates(path)
            issuance = .authority(try Refusal.naming(path) { try key.certified(by: chain) })
        }
    }

    /// Puts a key file's name before what is said of its keys; what options say wrongly is not the file's fault.
    func naming<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as JOSEError where error.code != .misuse {
            return try Refusal.naming(path) { throw error }
        }
    }

    func subject(_ key: JWK) -> CertificateSubject {
        subject ?? CertificateSubject(commonName: key.keyID ?? "key")
    }

    /// The keys that are meant, with certificates; the others as they are.
    func certified(_ keys: [JWK], where isMeant: (JWK) -> Bool) throws -> [JWK] {
        if case .chain(let chain, let path) = issuance {
            return try Refusal.naming(path) { try attached(chain, keys, isMeant) }
        }
        return try keys.map { key in
            guard isMeant(key) else { return key }
            switch issuance {
            case .selfSigned:
                return try key.selfSigned(subject: subject(key), from: start, until: end)
            case .authority(let authority):
                return try key.issued(
                    by: authority, subject: subject(key), from: start, until: end)
            case .request, .chain: return key
            }
        }
    }

    /// A chain belongs to the one key that its leaf holds.
    private func attached(
        _ chain: [[UInt8]], _ keys: [JWK], _ isMeant: (JWK) -> Bool
    ) throws -> [JWK] {
        var refusal = JOSEError.keyUnusable("no certificate holds one of the keys")
        var isAttached = false
        let result = keys.map { key in
            guard isMeant(key) else { return key }
            do throws(JOSEError) {
                let certified = try key.certified(by: chain)
                isAttached = true
                return certified
            } catch {
                refusal = error
                return key
            }
        }
        guard isAttached else { throw refusal }
        return result
    }

    private static func subject(_ text: String) throws -> CertificateSubject {
        var subject = CertificateSubject(commonName: "")
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
            guard pair.count == 2 else { throw UsageError("--subject is CN=name,O=name,C=XX") }
            switch pair[0] {
            case "CN": subject.commonName = pair[1]
            case "O": subject.organization = pair[1]
            case "C": subject.country = pair[1]
            default: throw UsageError("--subject knows CN, O and C alone")
            }
        }
        return subject
    }
}
