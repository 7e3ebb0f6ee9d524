// Known answers for the self-test: for each algorithm a token to accept and a token to reject.

import JOSE
import JOSEBytes
import JOSECrypto

struct KnownAnswer {
    let algorithm: String
    let token: String
    let payload: String
    let open: (String) throws -> [UInt8]
    /// Signs and verifies. Returns the new token, or the known one if signatures are randomised.
    var makeAgain: (() throws -> String)?
    let rejection: JOSEError.Code
}

/// An entry of known.json, published or made by pyca/cryptography and jwcrypto. No key is secret.
struct KnownToken {
    let algorithm: String
    /// Nil for a JWS, and for a JWE whose key management algorithm encrypts the content itself.
    let content: String?
    /// Whether the signature is deterministic.
    let isFixed: Bool
    let isEncrypted: Bool
    let key: [UInt8]
    let payload: String
    let token: String

    static let all: [KnownToken] = {
        guard let file = try? JSONDocument(PackageResources.known_json, maxDepth: 4),
            let keys = file.member("keys"), let answers = file.member("answers")
        else { return [] }
        var all: [KnownToken] = []
        file.forEachElement(of: answers) { entry in
            func text(_ name: StaticString) -> String? {
                file.member(name, of: entry).flatMap { file.string(at: $0) }
            }
            guard let algorithm = text("alg"), let token = text("token"),
                let key = text("key").flatMap({ file.member(named: $0, of: keys) })
            else { return }
            all.append(
                KnownToken(
                    algorithm: algorithm, content: text("enc"),
                    isFixed: file.member("fixed", of: entry) != nil,
                    isEncrypted: token.utf8.count { $0 == UInt8(ascii: ".") } == 4,
                    key: file.json(at: key), payload: text("payload") ?? "hello", token: token))
        }
        return all
    }()

    /// The example of RFC 7515, A.2.
    static let rs256 = all.first { $0.algorithm == "RS256" }
}

extension KnownAnswer {
    /// Returns all known answers that the installed OpenSSL can check.
    static func all() throws -> [KnownAnswer] {
        var answers: [KnownAnswer] = []
        for known in KnownToken.all {
            guard known.isEncrypted else {
                if let answer = try signature(known) { answers.append(answer) }
                continue
            }
            // One answer for each key management and each content encryption algorithm.
            for answer in try encryption(known)
            where !answers.contains(where: { $0.algorithm == answer.algorithm }) {
                answers.append(answer)
            }
        }
        return answers
    }

    /// The algorithms without a known answer. Each is a failure of the self-test.
    static func missing(_ known: Set<String> = known) -> [String] {
        let all =
            SignatureAlgorithm.all.map(\.description)
            + KeyManagementAlgorithm.all.map(\.description)
            + ContentEncryptionAlgorithm.all.map(\.description)
        return all.filter { !known.contains($0) }
    }

    static let known = Set(
        KnownToken.all.flatMap { [$0.algorithm, $0.content].compactMap(\.self) })

    /// Returns the key and its kind in C; nil if the installed OpenSSL lacks this kind.
    private static func usable(_ json: [UInt8]) throws -> (key: JWK, kind: NativeKeyKind)? {
        do throws(JOSEError) {
            let key = try JWK(json: json)
            return KeyKindEntry.entry(key.prepared.material.kind).map { (key, $0.native) }
        } catch {
            guard error.code == .unsupported else { throw error }
            return nil
        }
    }

    private static func signature(_ known: KnownToken) throws -> KnownAnswer? {
        guard let algorithm = SignatureAlgorithm(name: known.algorithm),
            let (key, kind) = try usable(known.key),
            algorithm.family.missing(algorithm.hash, with: kind) == nil
        else { return nil }
        let verifier = try JWSVerifier(
            key: key.keyType == .oct ? key : key.publicKey, algorithms: [algorithm])
        let signer = try JWSSigner(key: key, algorithm: algorithm)
        return KnownAnswer(
            algorithm: known.algorithm, token: known.token, payload: known.payload,
            open: { try verifier.verify($0).payload },
            makeAgain: {
                let made = try signer.sign(known.payload)
                _ = try verifier.verify(made)
                return known.isFixed ? made : known.token
            },
            rejection: .signatureInvalid)
    }

    private static func encryption(_ known: KnownToken) throws -> [KnownAnswer] {
        guard let algorithm = KeyManagementAlgorithm(name: known.algorithm),
            let (key, kind) = try usable(known.key),
            algorithm.family.missing(algorithm.hash, wrapBytes: algorithm.wrapBytes, with: kind)
                == nil
        else { return [] }
        let content = known.content.flatMap { ContentEncryptionAlgorithm(name: $0) }
        guard (content == nil) == (known.content == nil) else { return [] }
        let decrypter = try JWEDecrypter(
            key: key, algorithms: [algorithm], content: content.map { [$0] } ?? [])
        return [known.algorithm, known.content].compactMap(\.self).map { algorithm in
            KnownAnswer(
                algorithm: algorithm, token: known.token, payload: known.payload,
                open: { try decrypter.decrypt($0).unauthenticatedPlaintext },
                rejection: .decryptionFailed)
        }
    }
}

extension KnownAnswer {
    func failure() -> String? {
        do {
            guard try open(token) == Array(payload.utf8) else { return "wrong payload" }
            if let makeAgain, try makeAgain() != token { return "wrong token" }
        } catch {
            return "the known token was rejected: \(Rejection(any: error)?.message ?? "")"
        }
        do {
            _ = try open(changed)
            return "a changed token was accepted"
        } catch {
            let isRight = Rejection(any: error)?.code == rejection
            return isRight ? nil : "a changed token was rejected with another code"
        }
    }

    /// One bit is changed in the last part that is not empty: the signature, tag or ciphertext.
    private var changed: String {
        var parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard let last = parts.lastIndex(where: { !$0.isEmpty }),
            var bytes = Base64URL.decode(parts[last].utf8.span), !bytes.isEmpty
        else { return "" }
        bytes[bytes.count / 2] ^= 1
        parts[last] = Base64URL.encodeToString(bytes.span)
        return parts.joined(separator: ".")
    }
}
