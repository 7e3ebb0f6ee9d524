// The table of compression algorithms: one row.

import JOSECrypto

/// A compression algorithm of the JOSE registry, `zip` of a JWE (RFC 7516, 4.1.3).
///
/// Compressing secrets together with text of an attacker tells their content by their length (RFC 8725, 3.6).
public struct CompressionAlgorithm: Sendable {
    /// The registered name as the compiler packed it.
    package let word: StaticString
    /// The registered name, `DEF`.
    public var name: String { word.description }
    /// How advisable it is.
    public let status: AlgorithmStatus
    /// The row's place in the table: its identity.
    package let id: UInt8
    /// Where the algorithm is defined.
    package let reference: StaticString
    /// For whom it is, in a sentence.
    package let advice: StaticString

    /// DEFLATE (RFC 1951).
    public static let deflate = CompressionAlgorithm(
        word: "DEF", status: .acceptable, id: 0,
        reference: "RFC 7516, 4.1.3",
        advice: "The length tells the content: never for secrets beside text of an attacker.")

    /// The table, whatever runs here.
    package static let rows: [CompressionAlgorithm] = [.deflate]

    /// All rows that are available here.
    public static let all = rows.filter(\.isAvailable)

    /// Whether the zlib that runs can do it; without, it ends in `unsupported`.
    public var isAvailable: Bool { missing == nil }

    /// What it lacks: the zlib that was compiled against.
    package var missing: String? {
        Deflate.isAvailable ? nil : "zlib of the version in its headers"
    }

    /// The compressed text.
    func compress(_ text: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        do throws(CompressionError) {
            return try Deflate.compress(text)
        } catch {
            switch error {
            case .tooLong: throw .limitExceeded(.output, "the plaintext is too long")
            case .unsupported: throw .unsupportedByLibcrypto
            case .malformed, .failure: throw .internalFailure
            }
        }
    }

    /// The text before compression; `limitExceeded` as soon as it is longer than the limit.
    func decompress(_ text: Span<UInt8>, _ limits: JOSELimits) throws(JOSEError) -> [UInt8] {
        do throws(CompressionError) {
            return try Deflate.inflate(text, atMost: limits.inflatedBytes)
        } catch {
            switch error {
            case .tooLong:
                throw JOSEError.limitExceeded(
                    .payload,
                    "the decompressed plaintext has more than {} bytes (JOSELimits.inflatedBytes)",
                    .number(limits.inflatedBytes)
                ).by(.inflatedBytes)
            case .malformed:
                throw .malformed(.payload, "zip is DEF, but the plaintext is not DEFLATE data")
            case .failure: throw .internalFailure
            case .unsupported: throw .unsupportedByLibcrypto
            }
        }
    }
}

extension CompressionAlgorithm {
    /// The row of a registered name that is available here; nil for any other text.
    public init?(name: String) {
        guard let row = CompressionAlgorithm.all.first(where: { name.isExactly($0.word) }) else {
            return nil
        }
        self = row
    }
}

extension CompressionAlgorithm: Hashable {
    /// The same row.
    public static func == (a: CompressionAlgorithm, b: CompressionAlgorithm) -> Bool {
        a.id == b.id
    }
    /// Hashes the row's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension CompressionAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { name }
}
