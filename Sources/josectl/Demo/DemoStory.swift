// The demo as it is told: a title for each message, what it is, and what its reader made of it.

import JOSE
import JOSEBytes
import JOSEOpenID
import JOSEPKCS11

/// One run of the story.
struct Demo {
    private let row: DemoProfile
    private let output: Output
    private let held: DemoParty?
    private var titles = 0
    var messages: [(name: StaticString, bytes: Int)] = []
    /// What the guide's other messages were, and what came of each.
    var responses: [(what: String, code: String)] = []
    private(set) var refusals: [(what: String, error: JOSEError)] = []
    private var rates: [(name: StaticString, perSecond: Int)] = []

    var profile: OpenIDProfile { row.profile }

    /// - Parameter held: The relying party's keys, where they are in a token.
    init(_ row: DemoProfile, _ output: Output, held: DemoParty? = nil) {
        self.row = row
        self.output = output
        self.held = held
    }

    /// Tells the story.
    ///
    /// - Throws: What refused one of the messages that must be accepted; a refusal where an attack was accepted.
    mutating func run(_ attacks: [DemoAttack]) async throws {
        let world = try DemoWorld(row, held: held)
        if !output.isJSON {
            try output.line(
                Paint.bold("\(row.name): a login between a relying party and its provider"))
        }
        try tellKeys(world)
        let login = try await DemoLogin(world)
        if let push = login.push {
            try tellPush(push, login)
            try tellAnswer(login)
        } else {
            try tellRequest(login)
        }
        try tellClient(login)
        if login.use != nil { try tellAccessToken(login) }
        try tellIDToken(world, login)
        try tellUserInfo(login)
        if let use = login.use { try tellUse(use) }
        try await tellGuide(world, login)
        try await tell(attacks, world, login)
        try await measure(world, login)
    }

    // MARK: the messages

    private mutating func tellKeys(_ world: DemoWorld) throws {
        try title("Keys, certified by a sandbox authority, published as JWK Sets with x5c")
        for (name, keys) in [("provider", world.providerKeys), ("client", world.clientKeys)] {
            let words = keys.own.keys.map { "\($0.algorithm ?? "") \(short($0.keyID ?? "", 8))" }
            try say(padded(name, 10) + words.joined(separator: "  "))
            messages.append(
                (name == "client" ? "client_keys" : "provider_keys", keys.publishedBytes))
            try accepted(
                "\(keys.published.count) of \(keys.own.keys.count) chains lead to the authority, "
                    + "\(keys.publishedBytes) bytes")
        }
        if let held {
            let keys = [held.signing, held.encryption].compactMap(\.self)
            let names = keys.map { printable(String(decoding: $0.label, as: UTF8.self)) }
            try say("the client's private keys are in a token: \(names.joined(separator: ", "))")
        }
        if !profile.encrypts { try say("no encryption: this profile signs and relies on TLS") }
    }

    private mutating func tellRequest(_ login: DemoLogin) throws {
        guard let object = try login.requestObject else {
            try title("Authorization request, in plain parameters")
            try say("no request object: this profile sends none")
            return try tellParameters(login)
        }
        try title("Request object, \(profile.requestObject.layers.words)")
        try show(object, "request_object", profile.requestObject.layers)
        try tellParameters(login)
    }

    func tellParameters(_ login: DemoLogin) throws {
        let request = login.received
        try accepted("scope \(request.scopes.joined(separator: " "))")
        if let context = request.contexts.last { try more("acr_values \(context)") }
        if let hint = request.loginHints.first {
            try more("login_hint \(hint), \(request.loginHints.count) in all")
        }
        if request.identityProviderParameters != nil { try more("idp_params with an app switch") }
        if request.responseMode == .formPost { try more("response_mode form_post") }
        let proof = request.parameters["code_challenge"] == nil ? "" : ", code_challenge S256"
        try more("state and nonce of 256 random bits" + proof)
    }

    private mutating func tellClient(_ login: DemoLogin) throws {
        guard let assertion = login.assertion,
            case .assertion(let layers) = profile.client.authentication
        else {
            try title("Token request, HTTP Basic with the client's secret")
            try say("no client assertion: this profile has none")
            return try accepted("the code is the client's, with its code_verifier")
        }
        try title(
            login.push == nil
                ? "Client assertion, \(layers.words)"
                : "Token request, with the client's assertion, \(layers.words), and a proof")
        try show(assertion, "client_assertion", layers)
        try tellProof(login.tokenRequest)
        try accepted("private_key_jwt; its jti is used up, and so is the code")
    }

    private mutating func tellIDToken(_ world: DemoWorld, _ login: DemoLogin) throws {
        let layers = profile.idToken.layers
        try title(
            "ID Token, \(layers.words), with a photo of \(DemoLogin.photoBytes) bytes")
        try show(login.idToken, "id_token", layers)
        let token = login.accepted
        try accepted("sub \(token.subject)")
        try more("aud \(DemoWorld.clientID), nonce as sent, until \(time(token.expires))")
        if let context = token.context { try more("acr \(context)") }
        try more(token["at_hash"] == nil ? "no at_hash: this profile has none" : "at_hash fits")
        try more("\(world.photoName) \(token[world.photoName]?.string?.utf8.count ?? 0) characters")
    }

    private mutating func tellUserInfo(_ login: DemoLogin) throws {
        if let layers = profile.userInfo.layers {
            try title("UserInfo, \(layers.words)")
            try show(login.userInfo, "userinfo", layers)
        } else {
            try title("UserInfo, plain JSON: this profile neither signs nor encrypts it")
            try say(login.userInfo)
            messages.append(("userinfo", login.userInfo.utf8.count))
        }
        try accepted("sub is the ID Token's")
        for (name, value) in row.facts { try more("\(name) \(value.string ?? "")") }
    }

    // MARK: the attacks

    private mutating func tell(
        _ attacks: [DemoAttack], _ world: DemoWorld, _ login: DemoLogin
    ) async throws {
        try title("\(attacks.count) attacks")
        for attack in attacks {
            let error = try await attack.refusal(world, login)
            refusals.append((attack.what, error))
            try say(Paint.bad("refused") + "   " + attack.what)
            try more("\(error.code.name): \(error.message)")
        }
    }

    // MARK: the speed

    private mutating func measure(_ world: DemoWorld, _ login: DemoLogin) async throws {
        let answers = try await world.client.answers()
        let user = DemoLogin.user(login.received, login.accessToken, world.now)
        let token = try answers.idToken(for: login.received, user, at: world.now)
        let make = try await Throughput.measure {
            _ = try answers.idToken(for: login.received, user, at: world.now)
        }
        let check = try await Throughput.measure {
            _ = try await world.party.verifyIDToken(
                token, for: login.started.remembered, accessToken: login.accessToken,
                at: world.now, within: HeldKeys.patience)
        }
        rates = [("make", make), ("check", check)]
        let words = rates.map { "\($0.name) \(Throughput.written($0.perSecond))/s" }
        try title("This machine, one thread, an ID Token without the photo")
        try say(words.joined(separator: ", "))
    }

    // MARK: words

    mutating func title(_ text: String) throws {
        titles += 1
        guard !output.isJSON else { return }
        try output.line()
        try output.line(Paint.bold("\(titles)  \(text)"))
    }

    func say(_ text: String) throws {
        if !output.isJSON { try output.line("   " + text) }
    }

    func accepted(_ text: String) throws { try say(Paint.good("accepted") + "  " + text) }

    /// A line below `accepted` or `refused`.
    func more(_ text: String) throws { try say("          " + text) }

    /// A token by its beginning, with its algorithms and its size.
    mutating func show(
        _ token: String, _ name: StaticString, _ layers: TokenLayers
    ) throws {
        messages.append((name, token.utf8.count))
        try say("\(short(token, 48))  \(token.utf8.count) bytes")
        try say(layers.algorithms(profile.algorithms))
    }

    private func time(_ date: NumericDate?) -> String { date.map(Timestamp.write) ?? "" }

    func short(_ text: String, _ count: Int) -> String { text.prefix(count) + "…" }

    func write(to writer: inout JSONWriter) {
        writer.member("profile", row.name)
        writer.name("bytes")
        writer.beginObject()
        for (name, bytes) in messages {
            writer.name(name)
            writer.integer(Int64(bytes))
        }
        writer.endObject()
        writer.name("guide")
        writer.beginArray()
        for (what, code) in responses {
            writer.beginObject()
            writer.member("what", what)
            writer.member("code", code)
            writer.endObject()
        }
        writer.endArray()
        writer.name("refused")
        writer.beginArray()
        for (what, error) in refusals {
            writer.beginObject()
            writer.member("what", what)
            writer.member("code", error.code.name)
            if let claim = error.claim { writer.member("claim", claim) }
            writer.member("message", error.message)
            writer.endObject()
        }
        writer.endArray()
        writer.name("per_second")
        writer.beginObject()
        for (name, perSecond) in rates {
            writer.name(name)
            writer.integer(Int64(perSecond))
        }
        writer.endObject()
    }
}
