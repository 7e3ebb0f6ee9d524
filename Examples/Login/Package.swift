// swift-tools-version: 6.3
// A login over HTTPS that one can watch: a provider and a relying party. Copy this folder to begin a program of your own.

import PackageDescription

/// Warnings are errors where the library's own repository builds this.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strictC: [CSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// What both programs learn from the library.
let library: [Target.Dependency] = ["JOSE", "JOSEOpenID", "JOSERemote"].map {
    .product(name: $0, package: "swift-jose")
}

let package = Package(
    name: "login",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy: the library's path or address; the name stays, as the products are asked for by it.
        .package(name: "swift-jose", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "provider", dependencies: library + ["Agreement", "Web"], swiftSettings: strict),
        .executableTarget(
            name: "relying-party", dependencies: library + ["Agreement", "Web"],
            swiftSettings: strict),

        .target(name: "Agreement", dependencies: library, swiftSettings: strict),

        // The web server and client that your service has already; nothing to learn from here.
        .target(name: "Web", dependencies: ["CWeb"] + library, swiftSettings: strict),
        .target(name: "CWeb", dependencies: ["CMicroHTTPD", "CCurl"], cSettings: strictC),
        .systemLibrary(
            name: "CMicroHTTPD", pkgConfig: "libmicrohttpd",
            providers: [.apt(["libmicrohttpd-dev"]), .brew(["libmicrohttpd"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
    ],
    cLanguageStandard: .gnu17
)
