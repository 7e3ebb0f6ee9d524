// The benchmark of the service: `swift run -c release orders-benchmark [help]`.

import JOSE
import JOSEBenchmark
import Orders

func orderScenarios() throws -> [Scenario] {
    let shop = try JWK.generate(.curve(.p256), keyID: "shop", algorithm: .es256)
    let own = try JWK.generate(.curve(.p256), keyID: "own", algorithm: .es256)
    let handler = try OrderHandler(shop: shop.publicKey, own: own)
    let token = try JWTIssuer(key: shop, algorithm: .es256, lifetime: .seconds(3_600))
        .issue(SampleOrder())
    let order = try handler.read(token)
    let receipt = try handler.receipt(for: order)
    return [
        .baseline("orders/read-baseline", verifying: token, with: try shop.publicKey),
        Scenario("orders/read", baseline: "orders/read-baseline", bound: .ratio(1.3)) {
            return { iterations, _ in
                for _ in 0..<iterations { _ = try handler.read(token) }
            }
        },
        .baseline("orders/receipt-baseline", signing: receipt, with: own),
        Scenario("orders/receipt", baseline: "orders/receipt-baseline", bound: .ratio(1.3)) {
            return { iterations, _ in
                for _ in 0..<iterations { _ = try handler.receipt(for: order) }
            }
        },
    ]
}

struct SampleOrder: Encodable {
    var iss = "https://shop.example"
    var aud = "orders"
    var article = "tulip bulbs"
    var count = 250
}

JOSEBenchmark.run { try orderScenarios() }
