// The header parameters of a key management algorithm, and header templates for senders.

import JOSEBytes
import JOSECrypto

/// The header parameters of an algorithm, such as `epk`, with their sizes for one key.
struct RecipientHeaderLayout: Sendable {
    private let parameterForm: ParameterForm
    /// The curve of the recipient's key; nil without a curve or if the algorithm has no parameters.
    let curve: JWKCurve?

    static let none = RecipientHeaderLayout(parameterForm: .none, curve: nil)

    /// The maximum size of `p2s` in bytes.
    static let maxSalt = 128

    private init(parameterForm: ParameterForm, curve: JWKCurve?) {
        self.parameterForm = parameterForm
        self.curve = curve
    }

    init(_ algorithm: KeyManagementAlgorithm, _ key: PreparedKey) {
        parameterForm = algorithm.form
        curve = parameterForm == .none ? nil : (key.material as? CurveKeyMaterial)?.curve
    }

    var isEmpty: Bool { parameterForm == .none }

    /// The parameters in the order in which a sender writes their members and fills their bytes.
    var parameters: [AlgorithmParameter] { parameterForm.parameters }

    /// `p2c` for PBES2; nil for other algorithms.
    var iterations: HeaderMember? { parameterForm.iterations }

    /// The maximum size in bytes of a received parameter, decoded. 0 for numbers, and for `apu` and
    /// `apv`, which `RecipientParameters.maxBytes` bounds by their text in the received header.
    func maxBytes(_ value: AlgorithmParameter.Value) -> Int {
        switch value {
        case .octets(let size): size
        case .publicKey: (hasTwoCoordinates ? 2 : 1) * coordinateBytes
        case .salt: Self.maxSalt
        case .partyU, .partyV, .iterations: 0
        }
    }

    var hasTwoCoordinates: Bool { curve?.keyType == .ec }
    var coordinateBytes: Int { curve?.native.sizeBytes ?? 0 }
}

/// Parameters that a sender may set for some key management algorithms.
public struct RecipientOptions: Sendable, Hashable {
    /// `apu`: information about the sender, for ECDH-ES (RFC 7518, 4.6.1.2).
    public var partyU: [UInt8] = []
    /// `apv`: information about the recipient, for ECDH-ES (RFC 7518, 4.6.1.3).
    public var partyV: [UInt8] = []
    /// `p2c`: the iterations of PBKDF2, for PBES2 (RFC 7518, 4.8.1.2).
    public var passwordIterations = 600_000

    /// Creates options with the defaults.
    public init() {}

    fileprivate func omits(_ value: AlgorithmParameter.Value) -> Bool {
        switch value {
        case .partyU: partyU.isEmpty
        case .partyV: partyV.isEmpty
        case .octets, .publicKey, .salt, .iterations: false
        }
    }
}

struct ChosenParameters: Sendable {
    let parameters: KeyParameters
    /// The bytes of `apu`, then those of `apv`.
    let parties: [UInt8]

    init(_ options: RecipientOptions) {
        parameters = KeyParameters(
            partyUBytes: options.partyU.count, partyVBytes: options.partyV.count,
            iterations: UInt32(clamping: options.passwordIterations))
        parties = options.partyU + options.partyV
    }
}

/// A header whose JSON text is known except for parameters that differ in each message.
struct HeaderTemplate: Sendable {
    private let texts: [[UInt8]]
    private let placeholders: [Range<Int>]
    /// The size of the JSON text in bytes, the same for each message.
    let count: Int

    /// - Parameter json: The JSON text of the header without the parameters.
    init(json: [UInt8], _ layout: RecipientHeaderLayout, _ options: RecipientOptions) {
        var text = TemplateText(json.dropLast())
        for parameter in layout.parameters where !options.omits(parameter.value) {
            text.append(#","\#(parameter.member.rawValue)":"#)
            switch parameter.value {
            case .octets(let size), .salt(let size): text.appendString(ofBytes: size)
            case .publicKey: text.appendKey(layout)
            case .partyU: text.appendString(options.partyU)
            case .partyV: text.appendString(options.partyV)
            case .iterations: text.append("\(options.passwordIterations)")
            }
        }
        text.append("}")
        texts = text.texts
        placeholders = text.placeholders
        count =
            texts.reduce(0) { $0 + $1.count }
            + placeholders.reduce(0) { $0 + Base64URL.encodedCount($1.count) }
    }

    func append(_ parameters: Span<UInt8>, to out: inout OutputSpan<UInt8>) {
        for index in texts.indices {
            let text = texts[index]
            out.append(copying: text.span)
            guard index < placeholders.count else { continue }
            out.appendBase64URL(of: parameters.extracting(placeholders[index]))
        }
    }
}

/// Builds a template: the fixed texts, and the placeholders between them.
private struct TemplateText {
    private(set) var texts: [[UInt8]]
    /// For each placeholder, the range of its bytes in the parameters of a message.
    private(set) var placeholders: [Range<Int>] = []

    init(_ start: some Sequence<UInt8>) { texts = [Array(start)] }

    mutating func append(_ text: String) { texts[texts.count - 1] += text.utf8 }

    /// Appends a string with a placeholder for the base64url text of `size` bytes.
    mutating func appendString(ofBytes size: Int) {
        append("\"")
        let start = placeholders.last?.upperBound ?? 0
        placeholders.append(start..<(start + size))
        texts.append([])
        append("\"")
    }

    mutating func appendString(_ bytes: [UInt8]) {
        append("\"\(Base64URL.encodeToString(bytes.span))\"")
    }

    /// Appends a public key with placeholders for its coordinates (RFC 7518, 4.6.1.1).
    mutating func appendKey(_ layout: RecipientHeaderLayout) {
        guard let curve = layout.curve else { return append("{}") }
        append(#"{"kty":"\#(curve.keyType.name)","crv":"\#(curve.name)","x":"#)
        appendString(ofBytes: layout.coordinateBytes)
        if layout.hasTwoCoordinates {
            append(#","y":"#)
            appendString(ofBytes: layout.coordinateBytes)
        }
        append("}")
    }
}
