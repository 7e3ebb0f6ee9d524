// Writes a JWK as JSON: the public part, or on request the private key.

package import JOSEBytes

extension JWK {
    /// Returns the public key as JSON, without private members.
    ///
    /// - Throws: `keyUnusable` for a symmetric key, which has no public part.
    public func publicJSON() throws(JOSEError) -> String {
        var writer = JSONWriter()
        try publicKey.writePublic(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Returns the whole key as JSON, with private members: keep it secret.
    ///
    /// - Throws: `internal` if libcrypto does not return the numbers, `misuse` for an external key.
    public func privateJSON() throws(JOSEError) -> String {
        var writer = JSONWriter()
        try writePrivate(to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    static func setText<Failure>(
        _ keys: [JWK], byteCapacity: Int,
        _ write: (JWK, inout JSONWriter) throws(Failure) -> Void
    ) throws(Failure) -> String {
        var writer = JSONWriter(capacity: byteCapacity * keys.count + 16)
        writer.beginObject()
        writer.name("keys")
        writer.beginArray()
        for key in keys { try write(key, &writer) }
        writer.endArray()
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    func writePublic(to writer: inout JSONWriter) {
        writer.beginObject()
        writeMetadata(to: &writer)
        prepared.material.writePublicMembers(to: &writer)
        writer.endObject()
    }

    package func writePrivate(to writer: inout JSONWriter) throws(JOSEError) {
        guard prepared.externalKey == nil else { throw .externalKeyHasNoPrivatePart }
        writer.beginObject()
        writeMetadata(to: &writer)
        prepared.material.writePublicMembers(to: &writer)
        try prepared.material.writePrivateMembers(to: &writer)
        writer.endObject()
    }

    private func writeCertificates(to writer: inout JSONWriter) {
        guard let certificates else { return }
        if let chain = certificates.chain {
            writer.name("x5c")
            writer.beginArray()
            for der in chain { writer.string(StandardBase64.encode(der.span)) }
            writer.endArray()
        }
        if let thumbprint = certificates.sha1Thumbprint {
            writer.name("x5t")
            writer.string(base64URL: thumbprint.span)
        }
        if let thumbprint = certificates.sha256Thumbprint {
            writer.name("x5t#S256")
            writer.string(base64URL: thumbprint.span)
        }
    }

    private func writeMetadata(to writer: inout JSONWriter) {
        if let keyID {
            writer.name("kid")
            writer.string(keyID)
        }
        if let use {
            writer.name("use")
            writer.string(use.name)
        }
        if let algorithm = prepared.material.boundAlgorithm?.description ?? algorithm?.name {
            writer.name("alg")
            writer.string(algorithm)
        }
        writeCertificates(to: &writer)
        guard let keyOperations else { return }
        writer.name("key_ops")
        writer.beginArray()
        for entry in KeyOperations.names where keyOperations.contains(entry.operation) {
            writer.string(entry.name.description)
        }
        writer.endArray()
    }
}
