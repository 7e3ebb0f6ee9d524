// swift-tools-version: 6.3
// Swift libraries to compare with. A package of its own, since it names them by URL.

import PackageDescription

let peers: [Target.Dependency] = [
    .product(name: "JWTKit", package: "jwt-kit"),
    .product(name: "JWSETKit", package: "JWSETKit"),
]

let package = Package(
    name: "swift-peers",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        .package(name: "swift-jose", path: "../../.."),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
        .package(url: "https://github.com/amosavian/JWSETKit.git", from: "2.2.0"),
    ],
    targets: [
        .executableTarget(name: "SwiftPeers", dependencies: peers),
        .executableTarget(
            name: "Migration",
            dependencies: peers + [.product(name: "JOSE", package: "swift-jose")]),
    ]
)
