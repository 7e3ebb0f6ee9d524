// swift-tools-version: 6.3
// The smallest service that links the library. In a package of your own, name the library by its address.

import PackageDescription

let package = Package(
    name: "deploy-example",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [.package(name: "swift-jose", path: "../..")],
    targets: [
        .executableTarget(
            name: "service", dependencies: [.product(name: "JOSE", package: "swift-jose")])
    ]
)
