// The examples of the page about performance CI, word for word.

import JOSE
import JOSEBenchmark

func orderScenarios() throws -> [Scenario] {
    let shop = try JWK.generate(.curve(.p256), keyID: "shop", algorithm: .es256)
    let own = try JWK.generate(.curve(.p256), keyID: "own", algorithm: .es256)
    let desk = try OrderHandler(shop: shop.publicKey, own: own)
    let token = try JWTIssuer(key: shop, algorithm: .es256, lifetime: .seconds(3_600))
        .issue(SampleOrder())
    let order = try desk.read(token)
    let receipt = try desk.receipt(for: order)
    return [
        .baseline("orders/read-baseline", verifying: token, with: try shop.publicKey),
        Scenario("orders/read", baseline: "orders/read-baseline", bound: .ratio(1.3)) {
            return { iterations, _ in
                for _ in 0..<iterations { _ = try desk.read(token) }
            }
        },
        .baseline("orders/receipt-baseline", signing: receipt, with: own),
        Scenario("orders/receipt", baseline: "orders/receipt-baseline", bound: .ratio(1.3)) {
            return { iterations, _ in
                for _ in 0..<iterations { _ = try desk.receipt(for: order) }
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

func program() -> Never {
    JOSEBenchmark.run { try orderScenarios() }
}

/// A baseline of one's own, for what the ready ones do not know.
func ownBaseline(_ prices: [Int]) -> [Scenario] {
    [
        Scenario("prices/sum-baseline") {
            return { iterations, _ in
                for _ in 0..<iterations { try check(prices.reduce(0, &+)) }
            }
        },
        Scenario("prices/sum", baseline: "prices/sum-baseline", bound: .ratio(20)) {
            return { iterations, _ in
                for _ in 0..<iterations { try check(prices.map { $0 }.reduce(0, &+)) }
            }
        },
    ]
}

private func check(_ sum: Int) throws {
    guard sum > 0 else { throw BenchmarkFailure("there is no price") }
}
