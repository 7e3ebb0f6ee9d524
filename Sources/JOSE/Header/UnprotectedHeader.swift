// Writes and reads the unprotected headers of tokens in JSON.

import JOSEBytes

enum UnprotectedHeader {
    /// The JSON text of an unprotected header; see `HeaderParameters.writeAdditional`.
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
        guard let members = header.object?.dictionary else {
            throw .malformed(
                .header,
                """
                the unprotected header has two names that Swift considers equal, or a name with \
                too many combining marks
                """)
        }
        return members
    }
}
