// What the command and the operation on chains have in common.

import JOSE
import JOSECrypto

extension CertificatePurpose {
    /// The purpose by its name; without one, what the key says of its use, and signatures where it says nothing.
    static func wanted(_ name: String?, for key: JWK) throws -> CertificatePurpose {
        guard let name else { return key.use == .encryption ? .encryption : .signature }
        if name.isExactly("signature") { return .signature }
        if name.isExactly("encryption") { return .encryption }
        throw Rejection.misuse("the purpose is signature or encryption")
    }
}

extension JWK {
    /// The subject of the first certificate.
    func certificateSubject() throws -> String {
        guard let chain = certificateChain else { return "" }
        return try CertificateChain(Array(chain.prefix(1))).subject(0)
    }
}
