// The keys of a job: one JWK or a set, and what they say to an algorithm.

import JOSE

/// Keys that verify.
enum VerificationKeys {
    case one(JWK)
    case set(PublicJWKSet)

    var isSet: Bool { if case .set = self { true } else { false } }

    func fits(_ query: KeyQuery) -> Bool {
        switch self {
        case .one(let key): key.fit(query) == .fits
        case .set(let set): (0..<set.keyCount).contains { set.fit($0, query) == .fits }
        }
    }
}

/// Keys that decrypt.
enum DecryptionKeys {
    case one(JWK)
    case set(JWKSet)

    func fits(_ query: KeyQuery) -> Bool {
        switch self {
        case .one(let key): key.fit(query) == .fits
        case .set(let set): set.keys.contains { $0.fit(query) == .fits }
        }
    }
}
