// Certificate purposes by name, and the subject of a key's certificate.

import JOSE
import JOSECrypto

extension CertificatePurpose {
    /// Without a name, returns the purpose of the key's use: signatures if the key has no use.
    static func named(_ name: String?, for key: JWK) throws -> CertificatePurpose {
        guard let name else { return key.use == .encryption ? .encryption : .signature }
        if name.isExactly("signature") { return .signature }
        if name.isExactly("encryption") { return .encryption }
        throw Rejection.misuse("the purpose must be signature or encryption")
    }
}

extension JWK {
    func certificateSubject() throws -> String {
        guard let chain = certificateChain else { return "" }
        return try CertificateChain(Array(chain.prefix(1))).subject(0)
    }
}
