// The first recipe of the Events article. Events.swift of Examples/HummingbirdApp has the others.

import JOSE
import JOSERemote

func observed(
    by handler: @escaping JOSEEventHandler, _ transport: some JWKSetTransport
) throws -> RemoteJWKSet {
    KeyAcceleration.observe(handler)
    return try RemoteJWKSet(
        url: "https://idp.example/jwks", transport: transport, observe: handler)
}
