// From an error of the engine to the option of a command that decides about it: one table for all commands.

import JOSE

/// What the user of a command may do about an error.
enum OptionHint {
    /// A sentence part with the option; nil where no option of the command decides about the error.
    ///
    /// - Parameter options: The names of the command's options; nil where no command was found.
    static func text(_ refusal: Refusal, options: [String]?) -> String? {
        guard let options, let setting = refusal.setting else { return nil }
        return rows(of: setting).first { $0.options.allSatisfy(options.contains) }?.text
    }

    /// What is said, and the options that a command must have for it.
    private struct Row {
        let options: [String]
        let text: String

        init(_ options: String..., say text: String) {
            self.options = options
            self.text = text
        }
    }

    /// In order: the first one counts whose options the command has.
    private static func rows(of setting: JOSEError.Setting) -> [Row] {
        switch setting {
        case .signatureAlgorithms: [Row("alg", say: "--alg names the algorithms to accept")]
        case .keyManagementAlgorithms:
            [
                Row("key-alg", say: "--key-alg names the key management algorithms to accept"),
                Row("alg", say: "--alg names the key management algorithms to accept"),
            ]
        case .contentAlgorithms:
            [Row("enc", say: "--enc names the content encryption algorithms to accept")]
        case .compression: [Row("zip", say: "--zip DEF accepts compressed tokens")]
        case .type: [Row("typ", say: "--typ names the typ to accept")]
        case .contentType: [Row("cty", say: "--cty absent accepts a token without cty")]
        case .critical:
            [Row("crit", say: "--crit NAME accepts an extension that you check yourself")]
        case .payloadEncoding:
            [
                Row(
                    "unencoded",
                    say: "--unencoded reads tokens with b64 false, and only these"),
                Row(say: "josectl verify --unencoded reads such a JWS; a JWT never has b64"),
            ]
        case .detachedPayload:
            [Row("detached", say: "--detached FILE gives the payload of a token that has none")]
        case .notEncrypted:
            [
                Row(
                    "layers",
                    say: "--layers signed reads a token that is signed and not encrypted"),
                Row(say: "josectl verify reads a signed token"),
            ]
        case .encrypted:
            [
                Row(
                    "layers",
                    say: "--layers encrypted,signed with --decryption-keys reads an encrypted token"
                ),
                Row(say: "josectl decrypt and josectl open read an encrypted token"),
            ]
        case .notSigned:
            [Row("layers", say: "--layers encrypted reads claims that nobody signed")]
        case .signed:
            [Row("layers", say: "--layers encrypted,signed reads a signed token inside")]
        case .jsonForm:
            [
                Row("form", say: "--form json reads the JSON serialisation"),
                Row(say: "josectl verify --form json and josectl decrypt --form json read it"),
            ]
        case .compactForm: [Row("form", say: "--form compact reads a compact token")]
        case .algorithmPlace:
            [
                Row(
                    "unprotected-alg",
                    say: "--unprotected-alg reads alg outside the protected header")
            ]
        case .tokenBytes: [Row("max-bytes", say: "--max-bytes N accepts larger tokens")]
        case .inflatedBytes:
            [Row("max-inflated", say: "--max-inflated N accepts larger plaintexts")]
        }
    }
}
