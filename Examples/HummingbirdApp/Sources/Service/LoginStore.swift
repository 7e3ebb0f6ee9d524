// The sessions of logins, and a store of them in memory. Copy this file with LoginFlow.swift.

import JOSE
import JOSEOpenID

/// A signed-in user, as the session store keeps it.
struct SignedInUser: Codable, Sendable {
    /// The provider. A subject is unique only there.
    let issuer: String
    let subject: String
    let name: String?
    /// `sid`: the session at the provider.
    let providerSession: String?
    /// When the provider issued the ID Token.
    let issuedAt: NumericDate
    /// The ID Token, a hint for the provider at logout; nil for an encrypted one.
    let idToken: String?
}

/// What a session cookie stands for.
enum LoginSession: Codable, Sendable {
    case started(AuthorizationSession)
    case signedIn(SignedInUser)
}

/// The sessions that a logout token ends.
struct EndedSessions: Codable, Sendable {
    let issuer: String
    let subject: String?
    /// `sid`; nil for all sessions of the user.
    let providerSession: String?
    /// When the provider issued the logout token.
    let issuedAt: NumericDate

    func include(_ user: SignedInUser) -> Bool {
        guard issuer.hasBytes(of: user.issuer), subject?.hasBytes(of: user.subject) ?? true else {
            return false
        }
        if let providerSession, let session = user.providerSession {
            return providerSession.hasBytes(of: session)
        }
        // A session without `sid` ends with any of its user. A later login stays, so that a
        // provider may send the token again.
        return subject != nil && user.issuedAt <= issuedAt
    }
}

extension String {
    /// Whether both texts have the same bytes. `==` also treats different bytes as equal, such as
    /// two spellings of `é`.
    func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

/// Keeps sessions by ID. Several machines share a database.
protocol LoginStore: Sendable {
    /// Stores a session. Stores nothing if `end` has ended it in the last five minutes, since a
    /// logout token may arrive before its login is finished.
    ///
    /// - Returns: Whether the session is stored.
    func put(_ session: LoginSession, id: String, expires: NumericDate) async throws -> Bool
    func session(id: String) async throws -> LoginSession?
    /// Removes and returns a session, in one step.
    func take(id: String) async throws -> LoginSession?
    /// Ends sessions, and remembers `sessions` for five minutes.
    ///
    /// - Returns: How many sessions were stored.
    func end(_ sessions: EndedSessions) async throws -> Int
}

/// Sessions in memory: at most `limit` logins in progress, and as many signed-in users.
actor MemoryLoginStore: LoginStore {
    private struct Table {
        var sessions: [String: (session: LoginSession, expires: NumericDate)] = [:]
        let limit: Int

        /// If the table is full, keeps nine tenths at most: those that expire last.
        mutating func put(_ session: LoginSession, _ id: String, _ expires: NumericDate) {
            if sessions.count >= limit {
                let kept = sessions.filter { .now < $0.value.expires }
                    .sorted { $0.value.expires > $1.value.expires }
                sessions = Dictionary(
                    uniqueKeysWithValues: kept.prefix(limit - limit / 10 - 1).map { ($0, $1) })
            }
            sessions[id] = (session, expires)
        }
    }
    private var started: Table
    private var signedIn: Table
    private var ended: [(sessions: EndedSessions, time: NumericDate)] = []

    init(limit: Int = 100_000) {
        started = Table(limit: limit)
        signedIn = Table(limit: limit)
    }

    func put(_ session: LoginSession, id: String, expires: NumericDate) -> Bool {
        guard case .signedIn(let user) = session else {
            started.put(session, id, expires)
            return true
        }
        guard !ended.contains(where: { $0.sessions.include(user) }) else { return false }
        signedIn.put(session, id, expires)
        return true
    }

    func session(id: String) -> LoginSession? {
        (signedIn.sessions[id] ?? started.sessions[id]).flatMap {
            .now < $0.expires ? $0.session : nil
        }
    }

    func take(id: String) -> LoginSession? {
        defer { (started.sessions[id], signedIn.sessions[id]) = (nil, nil) }
        return session(id: id)
    }

    func end(_ sessions: EndedSessions) -> Int {
        let oldest = NumericDate.now.advanced(by: .seconds(-300))
        ended = ended.suffix(9_999).filter { oldest < $0.time } + [(sessions, .now)]
        let ids = signedIn.sessions.filter { _, entry in
            guard case .signedIn(let user) = entry.session else { return false }
            return sessions.include(user)
        }.keys
        for id in ids { signedIn.sessions[id] = nil }
        return ids.count
    }
}
