// What a key management algorithm puts into the header besides its name, for one key.

import JOSEBytes
import JOSECrypto

/// The header parameters of an algorithm, with the sizes that they have for one key.
struct RecipientForm: Sendable {
    private let form: ParameterForm
    /// The curve of the recipient's key; nil where it is on none.
    let curve: JWKCurve?

    /// Of algorithms without parameters.
    static let none = RecipientForm(form: .none, curve: nil)

    /// Salts longer than this are rejected before any work.
    static let maxSalt = 128

    private init(form: ParameterForm, curve: JWKCurve?) {
        self.form = form
        self.curve = curve
    }

    init(_ algorithm: KeyManagementAlgorithm, _ key: PreparedKey) {
        form = algorithm.form
        curve = form == .none ? nil : (key.material as? CurveKeyMaterial)?.curve
    }

    var isEmpty: Bool { form == .none }

    /// In the order in which they are written and their bytes stand behind each other.
    var parameters: [AlgorithmParameter] { form.parameters }

    /// The member that counts the iterations of a password's derivation; nil for the other forms.
    var iterations: HeaderMember? { form.iterations }

    /// The most bytes that a received parameter gives to the operation.
    func maxBytes(_ value: AlgorithmParameter.Value) -> Int {
        switch value {
        case .octets(let size): size
        case .publicKey: (hasTwoCoordinates ? 2 : 1) * coordinateBytes
        case .salt: Self.maxSalt
        case .partyU, .partyV, .iterations: 0
        }
    }

    /// Whether a public key on the recipient's curve has `y` besides `x`.
    var hasTwoCoordinates: Bool { curve?.keyType == .ec }
    var coordinateBytes: Int { curve?.native.sizeBytes ?? 0 }
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

    /// Whether a parameter is not written, since nothing is said for it.
    fileprivate func leavesOut(_ value: AlgorithmParameter.Value) -> Bool {
        switch value {
        case .partyU: partyU.isEmpty
        case .partyV: partyV.isEmpty
        case .octets, .publicKey, .salt, .iterations: false
        }
    }
}

/// What a sender's options say to the operation itself, put together once.
struct ChosenParameters: Sendable {
    let parameters: KeyParameters
    /// The bytes of the parties.
    let parties: [UInt8]

    init(_ options: RecipientOptions) {
        parameters = KeyParameters(
            partyUBytes: options.partyU.count, partyVBytes: options.partyV.count,
            iterations: UInt32(clamping: options.passwordIterations))
        parties = options.partyU + options.partyV
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
        var text = TemplateText(json.dropLast())
        for parameter in form.parameters where !options.leavesOut(parameter.value) {
            text.append(#","\#(parameter.member.rawValue)":"#)
            switch parameter.value {
            case .octets(let size), .salt(let size): text.appendString(ofBytes: size)
            case .publicKey: text.appendKey(form)
            case .partyU: text.appendString(options.partyU)
            case .partyV: text.appendString(options.partyV)
            case .iterations: text.append("\(options.passwordIterations)")
            }
        }
        text.append("}")
        texts = text.texts
        holes = text.holes
        count =
            texts.reduce(0) { $0 + $1.count }
            + holes.reduce(0) { $0 + Base64URL.encodedCount($1.count) }
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

/// The texts before, between and behind the values of a header, as they are put together.
private struct TemplateText {
    private(set) var texts: [[UInt8]]
    /// Where the values stand in the operation's bytes.
    private(set) var holes: [Range<Int>] = []

    init(_ start: some Sequence<UInt8>) { texts = [Array(start)] }

    mutating func append(_ text: String) { texts[texts.count - 1] += text.utf8 }

    /// A string whose base64url text each message brings.
    mutating func appendString(ofBytes size: Int) {
        append("\"")
        let start = holes.last?.upperBound ?? 0
        holes.append(start..<(start + size))
        texts.append([])
        append("\"")
    }

    mutating func appendString(_ bytes: [UInt8]) {
        append("\"\(Base64URL.encodeToString(bytes.span))\"")
    }

    /// A public key on the recipient's curve (RFC 7518, 4.6.1.1).
    mutating func appendKey(_ form: RecipientForm) {
        guard let curve = form.curve else { return append("{}") }
        append(#"{"kty":"\#(curve.keyType.name)","crv":"\#(curve.name)","x":"#)
        appendString(ofBytes: form.coordinateBytes)
        if form.hasTwoCoordinates {
            append(#","y":"#)
            appendString(ofBytes: form.coordinateBytes)
        }
        append("}")
    }
}
