// Unprotected headers of tokens that are created or were accepted.

import JOSEBytes

enum UnprotectedHeader {
    /// The JSON text of an unprotected header.
    ///
    /// - Parameter others: The names in other parts of the same header: a member may occur only
    ///   once.
    /// - Throws: `misuse` for a name that `HeaderParameters.additional` rejects, a name in another
    ///   part, or a value that JSON cannot represent.
    static func text(
        _ members: [String: JSONValue], others: [String]
    ) throws(JOSEError) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        try HeaderParameters.writeAdditional(members, others: others, to: &writer)
        writer.endObject()
        return writer.bytes
    }
}

extension JSONDocument {
    /// The members of an unprotected header; empty if there is none.
    func unprotectedMembers(_ object: Int?) throws(JOSEError) -> [String: JSONValue] {
        guard let object else { return [:] }
        let header = ClaimsSource(self, root: object).json(at: object)
        // A dictionary keeps only one of two names that Swift considers equal.
        guard let members = header.object?.dictionary else {
            throw .malformed(.header, "the unprotected header has two names that Swift finds equal")
        }
        return members
    }
}
