// The claims of an ID Token of a backchannel request (CIBA Core 1.0, 10.3.1).

enum BackchannelClaim {
    static let requestID = "urn:openid:params:jwt:claim:auth_req_id"
    static let refreshTokenHash = "urn:openid:params:jwt:claim:rt_hash"
}
