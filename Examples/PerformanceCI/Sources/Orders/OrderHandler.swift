// The service's hot path: an order comes as a signed token, and leaves with a signed receipt.

import JOSE

/// What a shop orders.
public struct Order: Decodable, Sendable {
    /// The name of the article.
    public let article: String
    /// How many of it.
    public let count: Int
}

/// Reads orders and writes receipts.
public struct OrderHandler: Sendable {
    private let verifier: JWTVerifier
    private let issuer: JWTIssuer

    /// - Parameters:
    ///   - shop: The shop's public key.
    ///   - own: The service's private key.
    public init(shop: JWK, own: JWK) throws {
        verifier = try JWTVerifier(
            issuer: "https://shop.example", audience: "orders",
            signature: .required(key: shop, algorithms: [.es256]))
        issuer = try JWTIssuer(key: own, algorithm: .es256, lifetime: .seconds(600))
    }

    /// The order of a token, once its signature and its claims are verified.
    public func read(_ token: String) throws -> Order {
        guard isPlain(token) else { throw Rejection() }
        return try verifier.verify(token, as: Order.self)
    }

    /// A receipt for an order.
    public func receipt(for order: Order) throws -> String {
        try issuer.issue(
            Receipt(iss: "https://orders.example", aud: "shop", article: order.article))
    }
}

/// A token that is no order.
public struct Rejection: Error {}

private struct Receipt: Encodable {
    let iss: String
    let aud: String
    let article: String
}

/// Without blanks, which a shop once sent.
@inline(never)
private func isPlain(_ token: String) -> Bool {
    token.utf8.allSatisfy { $0 > 0x20 }
}
