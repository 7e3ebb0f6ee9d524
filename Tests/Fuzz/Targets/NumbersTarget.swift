// The integers of the public API (times, lifetimes, counts and sizes), from a program that does not
// check them.

import Foundation
import JOSE
import JOSEBytes
import JOSEFoundation
import JOSEOpenID

extension FuzzTarget {
    /// Each nine bytes are a use and a number. The next number is available, too.
    static let numbers = FuzzTarget("numbers") { bytes in
        var rest = bytes[...]
        var last = 0
        // At most a dozen uses, since each may sign.
        for _ in 0..<12 where rest.count >= 9 {
            let use = NumberUse.all[Int(rest[rest.startIndex]) % NumberUse.all.count]
            let number = rest.dropFirst().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(9)
            try use.check(Int(truncatingIfNeeded: number), last)
            last = Int(truncatingIfNeeded: number)
        }
    }
}

/// One integer input of the library. A new parameter, member or setting adds an entry here.
struct NumberUse: Sendable {
    let name: String
    private let run: @Sendable (_ number: Int, _ other: Int) throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (Int, Int) throws -> Void) {
        self.name = name
        self.run = run
    }

    /// Any number is accepted or rejected with a code. Nothing traps, and no result is out of
    /// range.
    func check(_ number: Int, _ other: Int) throws {
        do {
            try run(number, other)
        } catch let error as JOSEError {
            try hold(error.code != .internal, "\(name): \(error)")
        } catch let error as Broken {
            throw Broken(description: "\(name) with \(number) and \(other): \(error.description)")
        } catch let error as JSONError {
            throw Broken(
                description: "\(name) with \(number) and \(other) wrote bad JSON: \(error)")
        }
    }

    /// Whether the library accepts this number.
    func takes(_ number: Int, _ other: Int) -> Bool { (try? run(number, other)) != nil }

    static let all: [NumberUse] = times + tokens + limits + messages + profiles

    static let range: ClosedRange<Int64> = 0...253_402_300_799

    /// The time of the number, or the nearest.
    static func time(_ number: Int) -> NumericDate {
        NumericDate(exactly: Int64(number)) ?? (number < 0 ? .earliest : .latest)
    }

    // MARK: times

    private static let times = [
        NumberUse("NumericDate") { number, other in
            let checked = try? NumericDate(seconds: Int64(number))
            for date in [
                checked, NumericDate(exactly: Int64(number), attoseconds: Int64(other)),
                NumericDate(JSONValue.integer(Int64(number))),
                try? NumericDate(Date(timeIntervalSince1970: Double(number))),
                try? NumericDate(
                    Date(
                        timeIntervalSince1970: Double(bitPattern: UInt64(bitPattern: Int64(number)))
                    )),
            ] {
                guard let date else { continue }
                try hold(range ~= date.seconds, "\(date) is out of range")
                try hold(0..<1_000_000_000_000_000_000 ~= date.attoseconds, "\(date) is no date")
            }
        },
        NumberUse("NumericDate.advanced") { number, other in
            let start = time(other)
            for duration in [
                Duration.seconds(number), .seconds(number) * 10, .seconds(number) + .seconds(other),
                .nanoseconds(number), .seconds(number) * -1,
                Duration(secondsComponent: Int64(number), attosecondsComponent: Int64(other)),
            ] {
                let end = start.advanced(by: duration)
                try hold(range ~= end.seconds, "\(end) is out of range")
                try hold(
                    duration < .zero ? end <= start : end >= start,
                    "\(start) and \(duration) is \(end)")
                _ = end.duration(since: start)
            }
        },
        NumberUse("certificates") { number, other in
            let key = try signing.withSelfSignedCertificate(
                subject: CertificateSubject(commonName: "n"), from: time(number), until: time(other)
            )
            do throws(JOSEError) {
                _ = try key.validated(
                    by: TrustStore(anchors: []), purpose: .signature, at: time(number))
            } catch {
                return try hold(error.code != .internal, "\(error)")
            }
            throw Broken(description: "it leads to no root")
        },
    ]

    // MARK: tokens

    private static let secret: JWK = {
        guard let key = try? JWK(symmetricKey: [UInt8](repeating: 7, count: 32), keyID: "s") else {
            preconditionFailure("no symmetric key")
        }
        return key
    }()

    private static let signing = Known.signing

    private static let tokens = [
        NumberUse("lifetimeSeconds") { number, other in
            let now = time(other)
            let issuer = try JWTIssuer(
                key: secret, algorithm: .hs256, lifetime: .seconds(number))
            try life(of: issuer.issue(["sub": "a"], at: now), now, Int64(number))
        },
        NumberUse("bytes of sub") { number, _ in
            var policy = ClaimsPolicy(issuer: .any, audience: .any)
            policy.maxSubjectBytes = number
            let verifier = try JWTVerifier(
                policy: policy, signature: .required(key: secret, algorithms: [.hs256]))
            try hold(number >= 1, "\(number) bytes are a bound")
            let issuer = try JWTIssuer(key: secret, algorithm: .hs256, lifetime: .seconds(300))
            let token = try issuer.issue(["sub": "abc"], at: time(1_760_000_000))
            let isAccepted = (try? verifier.verify(token, at: time(1_760_000_000))) != nil
            try hold(isAccepted == (number >= 3), "3 bytes in \(number)")
        },
        NumberUse("ClaimsPolicy") { number, other in
            var policy = ClaimsPolicy(issuer: .any, audience: .any)
            policy.leeway = .seconds(number)
            policy.maxLifetime = .seconds(other)
            policy.maxSubjectBytes = max(number, 1)
            let verifier = try JWTVerifier(
                policy: policy, signature: .required(key: secret, algorithms: [.hs256]))
            try hold(0...300 ~= number && other >= 0, "a leeway of \(number), a life of \(other)")
            let issuer = try JWTIssuer(key: secret, algorithm: .hs256, lifetime: .seconds(300))
            let token = try issuer.issue(["sub": "a"], at: time(1_760_000_000))
            let isAccepted = (try? verifier.verify(token, at: time(1_760_000_000))) != nil
            try hold(isAccepted == (other >= 300), "a longest life of \(other) is another")
            _ = try verifier.verify(token, at: time(1_760_000_000 + number))
        },
        NumberUse("sizes of keys") { number, other in
            // Valid sizes are slow to generate and tested elsewhere.
            if !(2_048...8_192 ~= number) {
                let isRejected = (try? JWK.generate(.rsa(bits: number))) == nil
                try hold(isRejected, "an RSA key of \(number) bits")
            }
            let key = try JWK.generate(.symmetric(bits: number))
            try hold(128...4_096 ~= number && key.sizeBits == number, "another size")
        },
        NumberUse("MissingKeyIDRule") { number, _ in
            let decrypter = try JWEDecrypter(
                keys: JWKSet(keys: [Known.decrypting]), algorithms: [.rsaOAEP],
                content: [.a128CBCHS256],
                missingKeyID: .tryEligible(atMost: number))
            try hold(2...8 ~= number, "\(number) keys may be tried by \(decrypter)")
        },
        NumberUse("MemoryReplayStore") { number, other in
            let store = MemoryReplayStore(capacity: number, quota: other)
            let use = ReplayEntry(
                purpose: "p", issuer: "i", audience: "a", tokenID: "t", expires: time(number))
            let isFirst = (try? store.markUsedNow(use, at: time(other))) != nil
            try hold(isFirst == (time(number) > time(other)), "one use of what has expired")
        },
    ]

    /// Whether a token has the right `iat` and `exp`.
    static func life(of token: String, _ now: NumericDate, _ life: Int64) throws {
        let parts = token.utf8.split(separator: Made.dot)
        guard let text = Base64URL.decode(Array(parts[1]).span) else {
            throw Broken(description: "no payload")
        }
        let document = try JSONDocument(text, maxDepth: 4)
        let issued = document.member("iat").flatMap { document.integer(at: $0) }
        let expiry = document.member("exp").flatMap { document.integer(at: $0) }
        guard let issued, let expiry else { throw Broken(description: "iat or exp is missing") }
        try hold(
            issued == now.seconds && range ~= expiry && expiry > issued && expiry - issued == life,
            "it lives from \(issued) to \(expiry)")
    }

    // MARK: limits

    private static let members: [any WritableKeyPath<JOSELimits, Int> & Sendable] = [
        \.tokenBytes, \.headerBytes, \.jsonDepth, \.keyIDBytes, \.keySetBytes, \.keyCount,
        \.chainCount, \.recipientCount, \.inflatedBytes, \.minIterations, \.maxIterations,
        \.minRSABits, \.maxRSABits,
    ]

    private static let limits =
        [
            NumberUse("Limits, all") { number, other in
                var limits = JOSELimits()
                for (index, member) in members.enumerated() {
                    limits[keyPath: member] = index % 2 == 0 ? number : other
                }
                try read(limits)
            }
        ]
        + members.indices.map { index in
            NumberUse("Limits, member \(index)") { number, _ in
                var limits = JOSELimits()
                limits[keyPath: members[index]] = number
                let kept = limits[keyPath: members[index]]
                try hold(0...max(number, 2_048) ~= kept, "a limit of \(kept)")
                try read(limits)
            }
        }

    /// Reads and creates one value of every kind with these limits.
    private static func read(_ limits: JOSELimits) throws {
        for attempt in [
            readKeys, readSet, readSigned, readSignedJSON, readEncrypted, readInflated, readFiles,
        ] {
            do {
                try attempt(limits)
            } catch let error as JOSEError {
                try hold(error.code != .internal, "\(error)")
            }
        }
    }

    private static let payload = [UInt8](repeating: 0x61, count: 400)

    private static func readKeys(_ limits: JOSELimits) throws {
        let key = try JWK(json: Array(signing.publicJSON().utf8), limits: limits)
        _ = try key.thumbprint()
    }

    private static func readSet(_ limits: JOSELimits) throws {
        let text = try Array("{\"keys\":[\(signing.publicJSON())]}".utf8)
        let set = try PublicJWKSet(json: text, limits: limits)
        try hold(set.count <= 1, "more keys than there are")
    }

    private static func readSigned(_ limits: JOSELimits) throws {
        let key = try JWK(json: Array(signing.publicJSON().utf8), limits: limits)
        let token = try JWSSigner(key: signing, algorithm: .rs256, limits: limits).sign(payload)
        let verifier = try JWSVerifier(key: key, algorithms: [.rs256], limits: limits)
        let verified = try verifier.verify(token)
        try hold(verified.payload == payload, "another payload")
    }

    private static func readSignedJSON(_ limits: JOSELimits) throws {
        let signer = try JWSSigner(key: secret, algorithm: .hs256)
        let signatory = try JWSJSONSigner.Signatory(signer: signer)
        let token = try JWSJSONSigner(signatories: [signatory], limits: limits).sign(
            payload, as: .general)
        let verifier = try JWSVerifier(key: secret, algorithms: [.hs256], limits: limits)
        let verified = try verifier.verifyJSON(token, requiring: .any)
        try hold(verified.payload == payload, "another payload")
    }

    private static func readEncrypted(_ limits: JOSELimits) throws {
        var options = RecipientOptions()
        options.passwordIterations = limits.maxIterations
        let encrypter = try JWEEncrypter(
            key: secret, algorithm: .a256KW, content: .a128CBCHS256, options: options,
            compression: .deflate, limits: limits)
        let token = try encrypter.encrypt(payload)
        let decrypter = try JWEDecrypter(
            key: secret, algorithms: [.a256KW], content: [.a128CBCHS256], compression: [.deflate],
            limits: limits)
        let decrypted = try decrypter.decrypt(token)
        try hold(decrypted.unauthenticatedPlaintext == payload, "another plaintext")
    }

    private static func readInflated(_ limits: JOSELimits) throws {
        let decrypter = try JWEDecrypter(
            key: Known.decrypting, algorithms: [.rsaOAEP], content: [.a128CBCHS256],
            compression: [.deflate], limits: limits)
        let decrypted = try decrypter.decrypt(compressed)
        try hold(
            decrypted.unauthenticatedPlaintext.count <= limits.inflatedBytes, "inflated too far")
    }

    private static func readFiles(_ limits: JOSELimits) throws {
        let file = try signing.publicKeyFile(.pem)
        let contents = try KeyFileContents(file, limits: limits)
        try hold(contents.keys.count == 1, "another number of keys")
        _ = try? TokenResponse(json: #"{"access_token":"a"}"#, limits: limits)
        let store = try TrustStore(anchors: [])
        _ = try store.report([], purpose: .signature, at: .earliest, limits: limits)
    }

    /// A token that must be decompressed.
    private static let compressed: String = {
        let made = try? JWEEncrypter(
            key: Known.decrypting.publicKey, algorithm: .rsaOAEP, content: .a128CBCHS256,
            compression: .deflate
        ).encrypt([UInt8](repeating: 0, count: 2_000))
        return made ?? ""
    }()
}
