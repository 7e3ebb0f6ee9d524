// Key sets by size, and keys from text: reading, picking, the first use and later ones.

import CBenchFloors
import JOSE

func keySetScenarios(_ world: World) -> [Scenario] {
    let bounds: [Int: Double] = [10: 6_000, 1_000: 500_000, 10_000: 5_000_000]
    func text(_ count: Int) -> [UInt8] {
        Array(keySetJSON(count: count, last: .signing2048, use: "sig", alg: "RS256").utf8)
    }
    return [1, 10, 1_000, 10_000].flatMap { count -> [Scenario] in
        let isSmall = count <= 1_000
        return [
            Scenario(
                "set-\(count)/read-and-pick", bound: bounds[count].map { .nanoseconds($0) },
                gated: isSmall
            ) {
                let json = text(count)
                return { iterations, _ in
                    for _ in 0..<iterations {
                        let set = try PublicJWKSet(json: json, limits: World.wide)
                        _ = try set.key(keyID: "sig-2048")
                    }
                }
            },
            Scenario("set-\(count)/pick", gated: isSmall) {
                let set = try PublicJWKSet(json: text(count), limits: World.wide)
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try set.key(keyID: "sig-2048") }
                }
            },
            Scenario("set-\(count)/first-verify", gated: isSmall) {
                let json = text(count)
                let token = world.token
                return { iterations, _ in
                    for _ in 0..<iterations {
                        let set = try PublicJWKSet(json: json, limits: World.wide)
                        _ = try JWSVerifier(keys: set, algorithms: [.rs256]).verify(token)
                    }
                }
            },
            Scenario(
                "set-\(count)/later-verify", floor: "verify/floor", bound: .ratio(1.03),
                gated: isSmall
            ) {
                let set = try PublicJWKSet(json: text(count), limits: World.wide)
                let verifier = try JWSVerifier(keys: set, algorithms: [.rs256])
                let token = world.token
                return { iterations, _ in
                    for _ in 0..<iterations { _ = try verifier.verify(token) }
                }
            },
        ]
    }
}

func keyScenarios(_ world: World) -> [Scenario] {
    let fixture = FixtureKey.signing2048
    return [
        Scenario("key/fromdata-floor") {
            let numbers = fixture.numbers
            let importer = withFloorNumbers(numbers) { floor_importer_new($0[0], $0[1]) }
            return { iterations, _ in
                for _ in 0..<iterations { try require(floor_import(importer) == 1, "fromdata") }
            }
        },
        Scenario("key/public-jwk", floor: "key/fromdata-floor", bound: .ratio(2)) {
            let json = Array(fixture.publicJWK(use: "sig", alg: "RS256").utf8)
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try JWSVerifier(key: try JWK(json: json), algorithms: [.rs256])
                }
            }
        },
        Scenario("key/private-pem-floor") {
            var pem = [CChar](repeating: 0, count: 4_096)
            let count = floor_private_pem(try world.floorKey(fixture), &pem, pem.count)
            let text = pem
            return { iterations, _ in
                for _ in 0..<iterations { try require(floor_read_pem(text, count) == 1, "PEM") }
            }
        },
        Scenario("key/private-der-floor") {
            var der = [UInt8](repeating: 0, count: 4_096)
            let count = floor_private_der(try world.floorKey(fixture), &der, der.count)
            let bytes = der
            return { iterations, _ in
                for _ in 0..<iterations { try require(floor_read_der(bytes, count) == 1, "DER") }
            }
        },
        Scenario("key/private-jwk", floor: "key/private-der-floor", bound: .nanoseconds(25_000)) {
            let json = Array(fixture.privateJWK(use: "sig", alg: "RS256").utf8)
            return { iterations, _ in
                for _ in 0..<iterations {
                    _ = try JWSSigner(try JWK(json: json), algorithm: .rs256)
                }
            }
        },
    ]
}
