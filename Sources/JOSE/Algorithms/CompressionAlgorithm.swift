// CompressionAlgorithm: the table of compression algorithms. It has one entry.

import JOSECrypto

/// A compression algorithm of the JOSE registry, `zip` of a JWE (RFC 7516, 4.1.3).
///
/// Do not compress secrets together with attacker-controlled text: the length of the result reveals
/// them (RFC 8725, 3.6).
public struct CompressionAlgorithm: TableEntry {
    package let staticName: StaticString
    /// The registered name, `DEF`.
    public var name: String { staticName.description }
    /// How advisable the algorithm is.
    public let status: AlgorithmStatus
    package let id: UInt8
    package let reference: StaticString
    package let advice: StaticString

    /// DEFLATE (RFC 1951).
    public static let deflate = CompressionAlgorithm(
        staticName: "DEF", status: .acceptable, id: 0,
        reference: "RFC 7516, 4.1.3",
        advice: "The length reveals content: never mix secrets and attacker-controlled text.")

    /// All algorithms, supported by the installed zlib or not.
    package static let entries: [CompressionAlgorithm] = [.deflate]

    /// The algorithms that the installed zlib supports.
    public static let all = entries.filter(\.isAvailable)

    /// Whether the installed zlib supports the algorithm. Otherwise using it throws `unsupported`.
    public var isAvailable: Bool { missing == nil }

    package var missing: String? {
        Deflate.isAvailable ? nil : "zlib of the major version that this package was built with"
    }

    func compress(_ text: Span<UInt8>) throws(JOSEError) -> [UInt8] {
        do throws(CompressionError) {
            return try Deflate.compress(text)
        } catch {
            switch error {
            case .tooLong:
                throw .limitExceeded(.output, "the plaintext is too long for zlib to compress")
            case .unsupported: throw .unsupportedByInstalledLibrary
            case .malformed, .failure: throw .internalFailure
            }
        }
    }

    /// Decompresses a text. Throws `limitExceeded` as soon as the result exceeds `inflatedBytes`.
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
                ).withSetting(.inflatedBytes)
            case .malformed:
                throw .malformed(.payload, "zip is DEF, but the plaintext is not DEFLATE data")
            case .failure: throw .internalFailure
            case .unsupported: throw .unsupportedByInstalledLibrary
            }
        }
    }
}

extension CompressionAlgorithm {
    /// Creates the supported algorithm with this registered name; nil for any other name.
    public init?(name: String) {
        guard let entry = CompressionAlgorithm.all.first(where: { name.isExactly($0.staticName) })
        else {
            return nil
        }
        self = entry
    }
}
