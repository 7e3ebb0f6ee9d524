// Overloads with Data for key files and certificates.

public import Foundation
public import JOSE
import JOSEBytes

extension KeyFileContents {
    /// Reads a key file of any supported format; see the initialiser with a span.
    public init(
        _ file: Data, password: String? = nil, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        guard let password else {
            try self.init(file.span, limits: limits)
            return
        }
        self = try withWipedCopy(of: password.utf8) { (password) throws(JOSEError) in
            try KeyFileContents(file.span, password: password, limits: limits)
        }
    }

    /// Reads a key file with a password in bytes; see the initialiser with a span.
    public init(
        _ file: Data, password: Data, limits: JOSELimits = .standard
    ) throws(JOSEError) {
        self = try withWipedCopy(of: password) { (password) throws(JOSEError) in
            try KeyFileContents(file.span, password: password, limits: limits)
        }
    }
}

extension TrustStore {
    /// Creates a store from PEM or DER; see the initialiser with arrays of bytes.
    public convenience init<File: DataProtocol>(
        anchors: [File], revocationLists: [File] = []
    ) throws(JOSEError) {
        try self.init(
            anchors: anchors.map { [UInt8]($0) },
            revocationLists: revocationLists.map { [UInt8]($0) })
    }
}
