// What a reader of key files did not take, or took although it was not as it should be.

/// A remark on a key file that was read: part of it was left out, or read in spite of a defect.
///
/// Show these to the person who gave the file: a private key that was left out is otherwise missed
/// later.
public struct KeyFileWarning: Sendable {
    /// Whether a key, a certificate or something else of the file was left out.
    public let isOmission: Bool
    /// The position from 0 of the PEM block, or of the key or certificate in PKCS#12; nil for the
    /// whole file.
    public let position: Int?
    /// A sentence part, without text of the file.
    public let reason: String

    init(_ reason: String, at position: Int? = nil, isOmission: Bool) {
        self.reason = reason
        self.position = position
        self.isOmission = isOmission
    }
}

extension KeyFileWarning: CustomStringConvertible {
    /// The position, counted from 1 as people do, and the reason.
    public var description: String {
        (position.map { "item \($0 + 1): " } ?? "") + reason
    }
}
