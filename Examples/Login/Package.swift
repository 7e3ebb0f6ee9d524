// swift-tools-version: 6.3
// A provider and a relying party over HTTPS. Copy this folder to start your own program.

import PackageDescription

/// Warnings are errors in the library's own builds.
let strict: [SwiftSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let strictC: [CSetting] =
    Context.environment["JOSE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// The library's products for both programs.
let library: [Target.Dependency] = ["JOSE", "JOSEOpenID", "JOSERemote"].map {
    .product(name: $0, package: "swift-jose")
}

let package = Package(
    name: "login",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        // In a copy, set the library's path or URL and keep the name.
        .package(name: "swift-jose", path: "../..")
    ],
    targets: [
        .executableTarget(
            name: "provider", dependencies: library + ["Agreement", "Web"], swiftSettings: strict),
        .executableTarget(
            name: "relying-party", dependencies: library + ["Agreement", "Web"],
            swiftSettings: strict),

        .target(name: "Agreement", dependencies: library, swiftSettings: strict),

        // Web server and client. Your service has its own.
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
