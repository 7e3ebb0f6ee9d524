// swift-tools-version: 6.3
// Routes of a web framework with this library and with jwt-kit. Not in SwiftPeers: JWSETKit cannot
// be compiled there, because it imports NIOHTTP1 as soon as another package has built it.

import PackageDescription

let package = Package(
    name: "routes",
    platforms: [.macOS(.v26)],  // the library's
    dependencies: [
        .package(name: "swift-jose", path: "../../.."),
        .package(url: "https://github.com/vapor/jwt-kit.git", from: "5.3.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.26.0"),
    ],
    targets: [
        .executableTarget(
            name: "Routes",
            dependencies: [
                .product(name: "JOSE", package: "swift-jose"),
                .product(name: "JWTKit", package: "jwt-kit"),
                .product(name: "Hummingbird", package: "hummingbird"),
            ])
    ]
)
