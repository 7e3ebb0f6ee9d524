// Finds the option that changes the result of a check, for error messages and for `explain`.

import JOSE

enum OptionHint {
    /// Returns the option and its effect; nil if no option of the command changes the result.
    static func text(_ rejection: Rejection, options: [String]?) -> String? {
        guard let options else { return nil }
        guard let setting = rejection.setting else { return explanation(rejection, options) }
        return entry(setting, options).map { "\($0.option) \($0.text)" }
    }

    /// Returns the option with the value to give it, for advice; nil if the command has none.
    static func option(
        _ setting: JOSEError.Setting, _ value: String?, options: [String]?
    ) -> String? {
        guard let entry = entry(setting, options ?? []), let name = entry.name else { return nil }
        guard entry.option == "--\(name)", let value else { return entry.option }
        return "\(entry.option) \(value)"
    }

    /// Points to `josectl explain`, for errors whose message states no cause.
    private static func explanation(_ rejection: Rejection, _ options: [String]) -> String? {
        guard rejection.isExplainable, !options.contains("profile") else { return nil }
        let isOfSignature =
            rejection.code == .signatureInvalid
            || rejection.code == .malformed && rejection.step == "signature"
        if options.contains("verification-keys"), isOfSignature || rejection.code == .keyNotFound {
            return "josectl explain, with the same options, says why"
        }
        guard isOfSignature, options.contains("signatures") else { return nil }
        return "josectl explain --layers signed --verification-keys FILE says why"
    }

    private struct Entry {
        let setting: JOSEError.Setting
        /// The option that the command must have; nil if the hint is another command.
        let name: String?
        let option: String
        let text: String

        init(_ setting: JOSEError.Setting, _ name: String?, _ option: String, _ text: String) {
            (self.setting, self.name, self.option, self.text) = (setting, name, option, text)
        }
    }

    private static func entry(_ setting: JOSEError.Setting, _ options: [String]) -> Entry? {
        entries.first { $0.setting == setting && $0.name.map(options.contains) != false }
    }

    private static let entries: [Entry] = [
        Entry(.signatureAlgorithms, "alg", "--alg", "names the algorithms to accept"),
        Entry(
            .keyManagementAlgorithms, "key-alg", "--key-alg",
            "names the key management algorithms to accept"),
        Entry(
            .keyManagementAlgorithms, "alg", "--alg",
            "names the key management algorithms to accept"),
        Entry(
            .contentAlgorithms, "enc", "--enc", "names the content encryption to accept"),
        Entry(.compression, "zip", "--zip DEF", "accepts compressed tokens"),
        Entry(.type, "typ", "--typ", "names the typ to accept"),
        Entry(.contentType, "cty", "--cty absent", "accepts a token without cty"),
        Entry(.critical, "crit", "--crit NAME", "accepts an extension that you check yourself"),
        Entry(.payloadEncoding, "unencoded", "--unencoded", "accepts tokens with b64 false only"),
        Entry(
            .payloadEncoding, nil, "josectl verify --unencoded",
            "reads this JWS; a JWT never has b64"),
        Entry(.detachedPayload, "detached", "--detached FILE", "gives the detached payload"),
        Entry(.notEncrypted, "layers", "--layers signed", "accepts a token that is only signed"),
        Entry(.notEncrypted, nil, "josectl verify", "reads a signed token"),
        Entry(
            .encrypted, "layers", "--layers encrypted,signed with --decryption-keys",
            "reads an encrypted token"),
        Entry(.encrypted, nil, "josectl decrypt", "or josectl open reads an encrypted token"),
        Entry(.notSigned, "layers", "--layers encrypted", "accepts unsigned claims"),
        Entry(.signed, "layers", "--layers encrypted,signed", "reads a signed token inside"),
        Entry(.jsonForm, "form", "--form json", "reads the JSON serialisation"),
        Entry(
            .jsonForm, nil, "josectl verify --form json",
            "or josectl decrypt --form json reads the JSON serialisation"),
        Entry(.compactForm, "form", "--form compact", "reads a compact token"),
        Entry(
            .algorithmLocation, "unprotected-alg", "--unprotected-alg",
            "accepts alg outside the protected header"),
        Entry(.tokenBytes, "max-bytes", "--max-bytes N", "accepts larger tokens"),
        Entry(.inflatedBytes, "max-inflated", "--max-inflated N", "accepts larger plaintexts"),
    ]
}
