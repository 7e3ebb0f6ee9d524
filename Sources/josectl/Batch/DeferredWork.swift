// Runs the work of several lines of `josectl batch` together: RSA operations run in parallel.

import JOSE
import JOSEBytes

/// The work of one line that runs together with that of other lines.
enum DeferredLine {
    case verify(verifier: JWSVerifier, token: String)
    case decrypt(decrypter: JWEDecrypter, token: String)
    case open(JWTVerifier.BatchEntry, OpenJob)
    case issue(issuer: JWTIssuer, claims: [UInt8], recipient: JWTRecipient?)
}

struct DeferredWork {
    /// The kind of a line's work, and the index of its result among those of this kind.
    enum ResultIndex {
        case verify(Int)
        case decrypt(Int)
        case open(Int)
        case issue(Int)
    }

    private var verifying: [(verifier: JWSVerifier, token: String)] = []
    private var decrypting: [(decrypter: JWEDecrypter, token: String)] = []
    private var opening: [(entry: JWTVerifier.BatchEntry, job: OpenJob)] = []
    private var issuing: [(issuer: JWTIssuer, claims: [UInt8], recipient: JWTRecipient?)] = []

    mutating func add(_ line: DeferredLine) -> ResultIndex {
        switch line {
        case .verify(let verifier, let token):
            verifying.append((verifier, token))
            return .verify(verifying.count - 1)
        case .decrypt(let decrypter, let token):
            decrypting.append((decrypter, token))
            return .decrypt(decrypting.count - 1)
        case .open(let entry, let job):
            opening.append((entry, job))
            return .open(opening.count - 1)
        case .issue(let issuer, let claims, let recipient):
            issuing.append((issuer, claims, recipient))
            return .issue(issuing.count - 1)
        }
    }

    func run() -> Results {
        Results(
            verified: JWSVerifier.verifyBatch(verifying),
            decrypted: JWEDecrypter.decryptBatch(decrypting),
            opened: JWTVerifier.verifyBatch(opening.map(\.entry)),
            issued: JWTIssuer.issueBatch(issuing), jobs: opening.map(\.job))
    }

    struct Results {
        fileprivate let verified: [Result<VerifiedJWS, JOSEError>]
        fileprivate let decrypted: [Result<DecryptedJWE, JOSEError>]
        fileprivate let opened: [Result<VerifiedJWT, JOSEError>]
        fileprivate let issued: [Result<String, JOSEError>]
        fileprivate let jobs: [OpenJob]

        func write(_ result: ResultIndex, to writer: inout JSONWriter) throws {
            switch result {
            case .verify(let index): try writer.verified(verified[index].get())
            case .decrypt(let index): try writer.decrypted(decrypted[index].get())
            case .open(let index): try writer.opened(opened[index].get(), jobs[index])
            case .issue(let index): try writer.member(token: issued[index].get(), .compact)
            }
        }
    }
}
