// From a setting of the engine to the option of a command that decides about it: one table for the
// errors of all commands and the advice of `explain`.

import JOSE

/// What the user of a command may do about an error.
enum OptionHint {
    /// A sentence part with the option; nil where no option of the command decides about the error.
    ///
    /// - Parameter options: The names of the command's options; nil where no command was found.
    static func text(_ rejection: Rejection, options: [String]?) -> String? {
        guard let options else { return nil }
        guard let setting = rejection.setting else { return explanation(rejection, options) }
        return row(setting, options).map { "\($0.option) \($0.text)" }
    }

    /// The option for advice, with what it must name; nil where the command has none.
    static func option(
        _ setting: JOSEError.Setting, _ value: String?, options: [String]?
    ) -> String? {
        guard let row = row(setting, options ?? []), !row.options.isEmpty else { return nil }
        guard row.takesValue, let value else { return row.option }
        return "\(row.option) \(value)"
    }

    /// The command that says more, for errors that name no cause.
    private static func explanation(_ rejection: Rejection, _ options: [String]) -> String? {
        guard rejection.isExplained, !options.contains("profile") else { return nil }
        let isOfSignature =
            rejection.code == .signatureInvalid
            || rejection.code == .malformed && rejection.step == "signature"
        if options.contains("verification-keys"), isOfSignature || rejection.code == .keyNotFound {
            return "josectl explain, with the same options, says why"
        }
        guard isOfSignature, options.contains("signatures") else { return nil }
        return "josectl explain --layers signed --verification-keys FILE says why"
    }

    /// What is said of an error with this setting, where a command has these options.
    private struct Row {
        let setting: JOSEError.Setting
        let options: [String]
        /// The option as it is written, or another command.
        let option: String
        let takesValue: Bool
        let text: String

        init(
            _ setting: JOSEError.Setting, _ options: String..., as option: String,
            takesValue: Bool = false, say text: String
        ) {
            self.setting = setting
            self.options = options
            self.option = option
            self.takesValue = takesValue
            self.text = text
        }

        init(_ setting: JOSEError.Setting, naming option: String, say text: String) {
            self.init(setting, option, as: "--\(option)", takesValue: true, say: text)
        }
    }

    /// The first one counts whose options the command has.
    private static func row(_ setting: JOSEError.Setting, _ options: [String]) -> Row? {
        rows.first { $0.setting == setting && $0.options.allSatisfy(options.contains) }
    }

    private static let rows: [Row] = [
        Row(.signatureAlgorithms, naming: "alg", say: "names the algorithms to accept"),
        Row(
            .keyManagementAlgorithms, naming: "key-alg",
            say: "names the key management algorithms to accept"),
        Row(
            .keyManagementAlgorithms, naming: "alg",
            say: "names the key management algorithms to accept"),
        Row(
            .contentAlgorithms, naming: "enc",
            say: "names the content encryption algorithms to accept"),
        Row(.compression, "zip", as: "--zip DEF", say: "accepts compressed tokens"),
        Row(.type, naming: "typ", say: "names the typ to accept"),
        Row(.contentType, "cty", as: "--cty absent", say: "accepts a token without cty"),
        Row(
            .critical, "crit", as: "--crit NAME",
            say: "accepts an extension that you check yourself"),
        Row(
            .payloadEncoding, "unencoded", as: "--unencoded",
            say: "reads tokens with b64 false, and only these"),
        Row(
            .payloadEncoding, as: "josectl verify --unencoded",
            say: "reads such a JWS; a JWT never has b64"),
        Row(
            .detachedPayload, "detached", as: "--detached FILE",
            say: "gives the payload of a token that has none"),
        Row(
            .notEncrypted, "layers", as: "--layers signed",
            say: "reads a token that is signed and not encrypted"),
        Row(.notEncrypted, as: "josectl verify", say: "reads a signed token"),
        Row(
            .encrypted, "layers", as: "--layers encrypted,signed with --decryption-keys",
            say: "reads an encrypted token"),
        Row(.encrypted, as: "josectl decrypt", say: "or josectl open reads an encrypted token"),
        Row(.notSigned, "layers", as: "--layers encrypted", say: "reads claims that nobody signed"),
        Row(.signed, "layers", as: "--layers encrypted,signed", say: "reads a signed token inside"),
        Row(.jsonForm, "form", as: "--form json", say: "reads the JSON serialisation"),
        Row(
            .jsonForm, as: "josectl verify --form json",
            say: "or josectl decrypt --form json reads it"),
        Row(.compactForm, "form", as: "--form compact", say: "reads a compact token"),
        Row(
            .algorithmLocation, "unprotected-alg", as: "--unprotected-alg",
            say: "reads alg outside the protected header"),
        Row(.tokenBytes, "max-bytes", as: "--max-bytes N", say: "accepts larger tokens"),
        Row(
            .inflatedBytes, "max-inflated", as: "--max-inflated N", say: "accepts larger plaintexts"
        ),
    ]
}
