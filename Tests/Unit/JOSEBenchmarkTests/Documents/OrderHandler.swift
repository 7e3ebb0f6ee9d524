// The service of the examples. Examples/PerformanceCI has it in its own module.

import JOSE

struct Order: Decodable {
    let article: String
    let count: Int
}

struct OrderHandler {
    let verifier: JWTVerifier
    let issuer: JWTIssuer

    init(shop: JWK, own: JWK) throws {
        verifier = try JWTVerifier(
            issuer: "https://shop.example", audience: "orders",
            signature: .required(key: shop, algorithms: [.es256]))
        issuer = try JWTIssuer(key: own, algorithm: .es256, lifetime: .seconds(600))
    }

    func read(_ token: String) throws -> Order { try verifier.verify(token, as: Order.self) }

    func receipt(for order: Order) throws -> String {
        try issuer.issue(["iss": "https://orders.example", "aud": "shop", "article": order.article])
    }
}
