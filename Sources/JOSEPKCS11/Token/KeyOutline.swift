// What a token says of a key, read in one go.

import JOSE
import JOSECrypto

/// A private key of a token with what lies beside it: the public key, the certificates.
struct KeyOutline: Sendable {
    let type: TokenKeyType
    let id, label: [UInt8]
    let signs, decrypts, derives: Bool
    /// The PIN is wanted for each operation.
    let asksEachTime: Bool
    /// The numbers of the public key object, else those that the private one tells; nil where neither does.
    let modulus, exponent, curve, point: [UInt8]?
    /// What the private key says of its modulus.
    let privateModulus: [UInt8]?
    /// The certificates with the key's id, and all of the token.
    let ownCertificates, allCertificates: [[UInt8]]
    /// What the token can do with such a key.
    let ways: Set<KeyImplementation>
}

extension KeyOutline {
    /// Reads the one key that a URI names.
    static func read(
        _ uri: PKCS11URI, _ module: PKCS11Module, _ worker: Worker, in session: UInt64
    ) throws(PKCS11Error) -> KeyOutline {
        let object = try worker.privateKey(id: uri.id, label: uri.object, in: session)
        func value(_ attribute: ObjectAttribute, of object: UInt64?) throws(PKCS11Error) -> [UInt8]?
        {
            guard let object else { return nil }
            return try module.read(attribute, of: object, in: session)
        }
        func isYes(_ attribute: ObjectAttribute) throws(PKCS11Error) -> Bool {
            guard let bytes = try value(attribute, of: object) else { return false }
            guard bytes.count == 1 else { throw .failed }
            return bytes[0] != 0
        }
        guard let type = try module.keyType(of: object, in: session) else {
            throw .rejected("the PKCS#11 key has a type that no JWK has")
        }
        let id = try value(.id, of: object) ?? []
        let publics = id.isEmpty ? [] : try module.find(.publicKey, id: id, label: nil, in: session)
        guard publics.count <= 1 else {
            throw .rejected("two public keys have the id of the private key")
        }
        func number(_ attribute: ObjectAttribute) throws(PKCS11Error) -> [UInt8]? {
            if let found = try value(attribute, of: publics.first) { return found }
            return try value(attribute, of: object)
        }
        let (isRSA, slot) = (type == .rsa, try worker.place())
        let (signs, decrypts) = (try isYes(.signs), isRSA ? try isYes(.decrypts) : false)
        let derives = isRSA ? false : try isYes(.derives)
        let asksEachTime = try isYes(.alwaysAsks)
        var own: [[UInt8]] = []
        var all: [[UInt8]] = []
        if !id.isEmpty {
            for certificate in try module.find(.certificate, id: id, label: nil, in: session) {
                if let der = try value(.value, of: certificate) { own.append(der) }
            }
        }
        if !own.isEmpty {
            for certificate in try module.find(.certificate, id: nil, label: nil, in: session) {
                if let der = try value(.value, of: certificate) { all.append(der) }
            }
        }
        return KeyOutline(
            type: type, id: id, label: try value(.label, of: object) ?? [], signs: signs,
            decrypts: decrypts, derives: derives, asksEachTime: asksEachTime,
            modulus: isRSA ? try number(.modulus) : nil,
            exponent: isRSA ? try number(.exponent) : nil,
            curve: isRSA ? nil : try number(.curve), point: isRSA ? nil : try number(.point),
            privateModulus: isRSA ? try value(.modulus, of: object) : nil,
            ownCertificates: own, allCertificates: all,
            ways: try ways(
                type, object, module, worker, slot, signs: signs, decrypts: decrypts,
                derives: derives && !asksEachTime))
    }

    /// What the token says that it does, of what the key may do. An agreement has no place for a PIN of its own.
    private static func ways(
        _ type: TokenKeyType, _ object: UInt64, _ module: PKCS11Module, _ worker: Worker,
        _ slot: UInt64, signs: Bool, decrypts: Bool, derives: Bool
    ) throws(PKCS11Error) -> Set<KeyImplementation> {
        var ways: Set<KeyImplementation> = []
        if signs {
            let hashes: [HashAlgorithm] = [.sha256, .sha384, .sha512]
            let possible: [KeyImplementation] =
                switch type {
                case .rsa: hashes.map(KeyImplementation.signPKCS1) + hashes.map(KeyImplementation.signPSS)
                case .ec: [.signECDSA]
                case .edwards: [.signEd25519, .signEd448]
                case .montgomery: []
                }
            ways.formUnion(possible.filter { module.offers($0, in: slot) })
        }
        if derives, module.offers(.agree, in: slot) { ways.insert(.agree) }
        if decrypts {
            if module.offers(.decryptRaw, in: slot) { ways.insert(.decryptRaw) }
            // No token tells beforehand for which hashes it does OAEP: it is asked to begin.
            for hash in HashAlgorithm.allCases
            where module.offers(.decryptOAEP(hash), in: slot) {
                let takes = try worker.aside(writes: false) { session throws(PKCS11Error) in
                    do throws(PKCS11Error) {
                        try module.canBegin(.decryptOAEP(hash), object, in: session)
                        return true
                    } catch {
                        switch error {
                        case .absent, .failed: return false
                        default: throw error
                        }
                    }
                }
                if takes { ways.insert(.decryptOAEP(hash)) }
            }
        }
        return ways
    }
}
