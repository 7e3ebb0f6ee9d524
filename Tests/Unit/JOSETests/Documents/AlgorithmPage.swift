// Builds Sources/JOSE/JOSE.docc/Algorithms.md from the tables and Benchmarks/results/algorithms.

import Foundation
import JOSE
import JOSECrypto

/// The page, generated from the tables.
struct AlgorithmPage {
    let speeds: RowSpeeds
    /// The current page, from which rows that this build lacks are kept.
    let present: String

    static let url = VectorFile.folder.appending(path: "../Sources/JOSE/JOSE.docc/Algorithms.md")
        .standardizedFileURL

    var text: String {
        ([Self.head] + [signatures, keyManagement, curves, content, compression, Self.rejected])
            .joined(separator: "\n") + "\n"
    }

    private static let head = """
        # Algorithms

        All algorithms of the JOSE registry that this library supports. Nothing is accepted unless
        your policy names it. `tools/run algorithms` writes this page from the library's tables
        (`Sources/JOSE/Algorithms`); a test compares both.

        - **recommended**: a good choice, in `recommended` of its type, such as
          `SignatureAlgorithm.recommended`.
        - **acceptable**: secure, for a peer that needs it.
        - **legacy**: only compiled with the package trait `PBES2`.

        """

    // MARK: the tables

    private var signatures: String {
        """
        ## Signatures, `alg` of a JWS

        \(speeds.provenance)

        | `alg` | status | key | defined in | sign | verify | advice |
        | --- | --- | --- | --- | ---: | ---: | --- |

        """
            + lines(
                SignatureAlgorithm.entries.map {
                    [
                        "`\($0)`", $0.status.rawValue, key($0.kinds, $0.symmetricKeyBytes),
                        $0.reference.description, speeds["row-\($0)/sign"],
                        speeds["row-\($0)/verify"], $0.advice.description,
                    ]
                })
    }

    private var keyManagement: String {
        let rows = KeyManagementAlgorithm.all.map {
            [
                "`\($0)`", $0.status.rawValue, key($0.kinds, $0.symmetricKeyBytes),
                $0.reference.description, speeds.message("encrypt", $0),
                speeds.message("decrypt", $0), $0.advice.description,
            ]
        }
        return """
            ## Key management, `alg` of a JWE

            For 600 bytes of A128CBC-HS256 content, RSA keys of 2048 bits, and ECDH-ES on P-256.
            PBES2 was measured with 1,000 iterations. The default for passwords, 600,000, takes 600 times as long.

            | `alg` | status | key | defined in | encrypt | decrypt | advice |
            | --- | --- | --- | --- | ---: | ---: | --- |

            """ + lines(rows) + left(outOf: rows)
    }

    private var curves: String {
        """
        ECDH-ES by curve:

        | curve | encrypt | decrypt |
        | --- | ---: | ---: |

        """
            + lines(
                JWKCurve.all.filter { !KeyKind.agreement.isDisjoint(with: KeyKind($0)) }.map {
                    [
                        "`\($0)`", speeds["row-encrypt/ECDH-ES-\($0)"],
                        speeds["row-decrypt/ECDH-ES-\($0)"],
                    ]
                })
    }

    private var content: String {
        """
        ## Content encryption, `enc` of a JWE

        For 600 bytes under `dir`.

        | `enc` | status | key | tag | defined in | encrypt | decrypt | advice |
        | --- | --- | --- | --- | --- | ---: | ---: | --- |

        """
            + lines(
                ContentEncryptionAlgorithm.all.map {
                    [
                        "`\($0)`", $0.status.rawValue, "\($0.content.keyBytes) bytes",
                        "\($0.content.tagBytes) bytes", $0.reference.description,
                        speeds["row-encrypt/dir-\($0)"], speeds["row-decrypt/dir-\($0)"],
                        $0.advice.description,
                    ]
                })
    }

    private var compression: String {
        """
        ## Compression, `zip` of a JWE

        | `zip` | status | defined in | advice |
        | --- | --- | --- | --- |

        """
            + lines(
                CompressionAlgorithm.all.map {
                    [
                        "`\($0)`", $0.status.rawValue, $0.reference.description,
                        $0.advice.description,
                    ]
                })
    }

    private static let rejected =
        """
        ## Not implemented

        A token with one of these algorithms is `algorithmNotAllowed`, whatever a policy lists.

        | name | defined in | why |
        | --- | --- | --- |

        """
        + lines(
            RejectedAlgorithm.all.map {
                ["`\($0.name)`", $0.reference.description, $0.reason.description]
            })

    // MARK: cells

    /// The kinds of keys and their sizes.
    private func key(_ kinds: KeyKind, _ size: SymmetricKeySize?) -> String {
        var words = JWKCurve.all.filter { !kinds.isDisjoint(with: KeyKind($0)) }.map(\.name)
        let limits = JOSELimits.standard
        if kinds.contains(.rsa) {
            words.append("RSA, \(limits.minRSABits) to \(limits.maxRSABits) bits")
        }
        if kinds.keyTypes == [.akp] { words.append(KeyType.akp.name) }
        switch size {
        case nil: break
        case .exactly(let bytes): words.append("oct, \(bytes) bytes")
        case .atLeast(1): words.append("oct, a password")
        case .atLeast(let bytes): words.append("oct, \(bytes) bytes or more")
        case .byContent: words.append("oct, as large as `enc` says")
        }
        return words.joined(separator: ", ")
    }

    private static func lines(_ rows: [[String]]) -> String {
        rows.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }

    private func lines(_ rows: [[String]]) -> String { Self.lines(rows) }

    /// The lines of the page whose rows are not in this build: the build with the package trait
    /// checks them.
    private func left(outOf rows: [[String]]) -> String {
        guard !rows.contains(where: { $0[1] == AlgorithmStatus.legacy.rawValue }) else { return "" }
        return present.split(separator: "\n").filter { $0.hasPrefix("| `PBES2-") }
            .map { $0 + "\n" }.joined()
    }
}

/// The stored times of `./dev bench --only row-`: with a libcrypto of the oldest supported series,
/// and with a newer one for rows that the other lacks.
struct RowSpeeds {
    private var nanoseconds: [String: Double] = [:]
    private var machines: [String] = []

    private static let folder = VectorFile.folder.appending(
        path: "../Benchmarks/results/algorithms"
    )
    .standardizedFileURL

    init() throws {
        for name in ["x86_64.tsv", "x86_64-openssl-3.5.tsv"] {
            let file = RowSpeeds.folder.appending(path: name)
            read(try String(contentsOf: file, encoding: .utf8))
        }
    }

    private mutating func read(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
            if line.hasPrefix("# machine: ") { machines.append(String(line.dropFirst(11))) }
            guard fields.count == 3, let time = Double(fields[1]) else { continue }
            let name = String(fields[0])
            if nanoseconds[name] == nil { nanoseconds[name] = time }
        }
    }

    var provenance: String {
        """
        Times are microseconds for 600 bytes on one thread, from `Benchmarks/results/algorithms`
        (`tools/run algorithms --measure`): \(machines.first ?? "").
        RSA verification uses the fastest kernel of that processor; `josectl selftest` shows yours.
        ML-DSA needs OpenSSL 3.5; without it, its keys and policies are `unsupported`. The times of
        ML-DSA were measured on a busy machine: \(machines.last ?? ""). ML-DSA repeats a signature
        until it is short enough, so its time varies: the median of long runs is given.
        """
    }

    /// The time in microseconds with three significant digits; `-` if none is stored.
    subscript(_ scenario: String) -> String {
        guard let time = nanoseconds[scenario].map({ $0 / 1000 }) else { return "-" }
        return String(format: time < 10 ? "%.2f" : time < 100 ? "%.1f" : "%.0f", time)
    }

    /// ECDH-ES is measured for each curve and `dir` for each content encryption; their rows show
    /// the usual one.
    func message(_ way: String, _ algorithm: KeyManagementAlgorithm) -> String {
        let name = "row-\(way)/\(algorithm)"
        let measured = ["", "-P-256", "-A128CBC-HS256"].first { nanoseconds[name + $0] != nil }
        return self[name + (measured ?? "")]
    }
}
