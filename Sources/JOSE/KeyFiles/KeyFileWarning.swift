// The warnings of `KeyFileContents`.

extension KeyFileContents {
    /// A warning about a key file: a part was left out, or read despite a defect. Show it to the
    /// person who provided the file, since a missing private key is otherwise noticed late.
    public struct Warning: Sendable {
        /// Whether a key, a certificate or another part of the file was left out.
        public let isOmission: Bool
        /// The index of the PEM block, or of the key or certificate in PKCS#12; nil for the whole
        /// file.
        public let position: Int?
        /// The reason as a phrase, without text of the file.
        public let reason: String

        init(_ reason: String, at position: Int? = nil, isOmission: Bool) {
            self.reason = reason
            self.position = position
            self.isOmission = isOmission
        }
    }
}

extension KeyFileContents.Warning: CustomStringConvertible {
    /// The position, counted from 1, and the reason.
    public var description: String {
        (position.map { "item \($0 + 1): " } ?? "") + reason
    }
}
