// The service's hot path: verifies an order's JWT and issues a receipt.

import JOSE

/// An order of a shop.
public struct Order: Decodable, Sendable {
    /// The name of the article.
    public let article: String
    /// The number of pieces.
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

    /// Verifies a token and returns its order.
    public func read(_ token: String) throws -> Order {
        guard hasNoSpaces(token) else { throw Rejection() }
        return try verifier.verify(token, as: Order.self)
    }

    /// Issues a receipt for an order.
    public func receipt(for order: Order) throws -> String {
        try issuer.issue(
            Receipt(iss: "https://orders.example", aud: "shop", article: order.article))
    }
}

/// The error for an invalid token.
public struct Rejection: Error {}

private struct Receipt: Encodable {
    let iss: String
    let aud: String
    let article: String
}

/// Whether a token has no spaces, which one shop sent.
@inline(never)
private func hasNoSpaces(_ token: String) -> Bool {
    token.utf8.allSatisfy { $0 > 0x20 }
}
