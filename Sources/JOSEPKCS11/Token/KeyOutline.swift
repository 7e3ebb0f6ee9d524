// A private key of a token with its public key and certificates, read at once.

import JOSE
import JOSECrypto

struct KeyOutline: Sendable {
    let type: TokenKeyType
    let id, label: [UInt8]
    let signs, decrypts, derives: Bool
    /// `CKA_ALWAYS_AUTHENTICATE`: each operation needs the PIN.
    let needsPINEachTime: Bool
    /// From the public key object, or else from the private one; nil if missing.
    let modulus, exponent, curve, point: [UInt8]?
    let privateModulus: [UInt8]?
    /// `ownCertificates` have the key's id. If there are any, `allCertificates` has all
    /// certificates of the token, for the chain; otherwise it is empty.
    let ownCertificates, allCertificates: [[UInt8]]
    /// The mechanisms that the token lists and the key allows.
    let mechanisms: Set<KeyMechanism>
}

extension KeyOutline {
    /// Reads the only key that matches a URI.
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
            throw .rejected("the PKCS#11 key has a type that JWK does not have")
        }
        let id = try value(.id, of: object) ?? []
        let publicKeys =
            id.isEmpty ? [] : try module.find(.publicKey, id: id, label: nil, in: session)
        guard publicKeys.count <= 1 else {
            throw .rejected("two public keys have the id of the private key")
        }
        func publicValue(_ attribute: ObjectAttribute) throws(PKCS11Error) -> [UInt8]? {
            if let found = try value(attribute, of: publicKeys.first) { return found }
            return try value(attribute, of: object)
        }
        let (isRSA, slot) = (type == .rsa, try worker.openSlot())
        let (signs, decrypts) = (try isYes(.signs), isRSA ? try isYes(.decrypts) : false)
        let derives = isRSA ? false : try isYes(.derives)
        let needsPINEachTime = try isYes(.alwaysAuthenticates)
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
            decrypts: decrypts, derives: derives, needsPINEachTime: needsPINEachTime,
            modulus: isRSA ? try publicValue(.modulus) : nil,
            exponent: isRSA ? try publicValue(.exponent) : nil,
            curve: isRSA ? nil : try publicValue(.curve),
            point: isRSA ? nil : try publicValue(.point),
            privateModulus: isRSA ? try value(.modulus, of: object) : nil,
            ownCertificates: own, allCertificates: all,
            mechanisms: try mechanisms(
                type, object, module, worker, slot, signs: signs, decrypts: decrypts,
                derives: derives && !needsPINEachTime))
    }

    /// `derives` is false for a key that needs the PIN each time: key agreement cannot pass a PIN.
    private static func mechanisms(
        _ type: TokenKeyType, _ object: UInt64, _ module: PKCS11Module, _ worker: Worker,
        _ slot: UInt64, signs: Bool, decrypts: Bool, derives: Bool
    ) throws(PKCS11Error) -> Set<KeyMechanism> {
        var mechanisms: Set<KeyMechanism> = []
        if signs {
            let hashes: [HashAlgorithm] = [.sha256, .sha384, .sha512]
            let possible: [KeyMechanism] =
                switch type {
                case .rsa: hashes.map(KeyMechanism.signPKCS1) + hashes.map(KeyMechanism.signPSS)
                case .ec: [.signECDSA]
                case .edwards: [.signEd25519, .signEd448]
                case .montgomery: []
                }
            mechanisms.formUnion(possible.filter { module.offers($0, in: slot) })
        }
        if derives, module.offers(.agree, in: slot) { mechanisms.insert(.agree) }
        if decrypts {
            if module.offers(.decryptRaw, in: slot) { mechanisms.insert(.decryptRaw) }
            // Tokens do not list the hashes of OAEP, so a decryption is begun to find out.
            for hash in HashAlgorithm.allCases
            where module.offers(.decryptOAEP(hash), in: slot) {
                let isSupported = try worker.inSeparateSession(writes: false) {
                    session throws(PKCS11Error) in
                    do throws(PKCS11Error) {
                        try module.beginDecryption(.decryptOAEP(hash), object, in: session)
                        return true
                    } catch {
                        switch error {
                        case .absent, .failed: return false
                        default: throw error
                        }
                    }
                }
                if isSupported { mechanisms.insert(.decryptOAEP(hash)) }
            }
        }
        return mechanisms
    }
}
