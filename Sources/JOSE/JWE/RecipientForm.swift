// What a key management algorithm puts into the header besides its name.

import JOSEBytes
import JOSECrypto

/// The form of an algorithm's header parameters, for one key.
enum RecipientForm {
    case none
    /// `epk` on this curve, `apu`, `apv` (RFC 7518, 4.6.1).
    case ephemeralKey(JWKCurve)
    /// `iv` and `tag` (RFC 7518, 4.7.1).
    case ivAndTag
    /// `p2s` and `p2c` (RFC 7518, 4.8.1).
    case saltAndIterations

    static let ivBytes = 12
    static let tagBytes = 16
    static let saltBytes = 16
    /// The bytes of an ephemeral key's coordinates on the largest curve, P-521; `iv` and `tag` are fewer.
    static let mostChanging = 2 * 66

    init(_ algorithm: KeyManagementAlgorithm, _ key: PreparedKey) {
        switch algorithm.family {
        case .rsaOAEP, .aesKW, .direct: self = .none
        case .aesGCMKW: self = .ivAndTag
        case .pbes2: self = .saltAndIterations
        case .ecdhES:
            let kind = key.material.kind
            self = JWKCurve.all.first { KeyKind($0) == kind }.map { .ephemeralKey($0) } ?? .none
        }
    }

    /// What stands before, between and behind the base64url texts of the parameters, for `HeaderTemplate`.
    ///
    /// - Parameter fixed: Members that are known beforehand, each with its comma in front.
    func template(fixed: RecipientOptions) -> (texts: [String], holes: [Range<Int>]) {
        switch self {
        case .none: ([""], [])
        case .ivAndTag:
            (
                [#","iv":""#, #"","tag":""#, #"""#],
                [0..<Self.ivBytes, Self.ivBytes..<(Self.ivBytes + Self.tagBytes)]
            )
        case .saltAndIterations:
            (
                [#","p2s":""#, #"","p2c":\#(fixed.passwordIterations)"#], [0..<Self.saltBytes]
            )
        case .ephemeralKey(let curve):
            curve.keyType == .ec
                ? (
                    [
                        #","epk":{"kty":"EC","crv":"\#(curve.name)","x":""#, #"","y":""#,
                        #""}"# + fixed.parties,
                    ],
                    [
                        0..<curve.native.sizeBytes,
                        curve.native.sizeBytes..<(2 * curve.native.sizeBytes),
                    ]
                )
                : (
                    [
                        #","epk":{"kty":"OKP","crv":"\#(curve.name)","x":""#,
                        #""}"# + fixed.parties,
                    ], [0..<curve.native.sizeBytes]
                )
        }
    }
}

/// What a sender may say to the algorithms that take it.
public struct RecipientOptions: Sendable, Hashable {
    /// `apu`: information about the sender, for ECDH-ES (RFC 7518, 4.6.1.2).
    public var partyU: [UInt8] = []
    /// `apv`: information about the recipient, for ECDH-ES (RFC 7518, 4.6.1.3).
    public var partyV: [UInt8] = []
    /// `p2c`: iterations of PBKDF2, for PBES2 (RFC 7518, 4.8.1.2).
    public var passwordIterations = 600_000

    /// Creates options.
    public init() {}

    /// `apu` and `apv` as members, where they are given.
    fileprivate var parties: String {
        var members = ""
        if !partyU.isEmpty { members += #","apu":"\#(Base64URL.encodeToString(partyU.span))""# }
        if !partyV.isEmpty { members += #","apv":"\#(Base64URL.encodeToString(partyV.span))""# }
        return members
    }
}

/// A header whose text is known but for the values that each message's key brings.
struct HeaderTemplate: Sendable {
    private let texts: [[UInt8]]
    private let holes: [Range<Int>]
    /// The size of the JSON text, always the same.
    let count: Int

    /// - Parameter json: The text of the header without the parameters.
    init(json: [UInt8], _ form: RecipientForm, _ options: RecipientOptions) {
        let parts = form.template(fixed: options)
        var texts = parts.texts.map { Array($0.utf8) }
        texts[0] = json.dropLast() + texts[0]
        texts[texts.count - 1].append(UInt8(ascii: "}"))
        self.texts = texts
        holes = parts.holes
        count =
            texts.reduce(0) { $0 + $1.count }
            + parts.holes.reduce(0) { $0 + Base64URL.encodedCount($1.count) }
    }

    /// Appends the JSON text with these parameters.
    func append(_ parameters: Span<UInt8>, to out: inout OutputSpan<UInt8>) {
        for index in texts.indices {
            let text = texts[index]
            out.append(copying: text.span)
            guard index < holes.count else { continue }
            out.appendBase64URL(of: parameters.extracting(holes[index]))
        }
    }
}
