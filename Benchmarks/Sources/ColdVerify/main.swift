// From the start of a process to its first verified token, and nothing else.

import JOSE

let key = #"""
    {"keys":[{"kty":"RSA","kid":"sig-2048","use":"sig","alg":"RS256","e":"AQAB","n":"\#
    pyixbTDhErwYd-CknuKhP-t0HJGG_reWVr7Al1Bs3F9PjzhBfeTRC-RlnykxPMUIiva5RcmQn5HEJYzsY2Dt_Hoo\#
    L2jj6TQXQIM0Zv2y8bvTdfvSNSeoG49R2XpL0RBNzpZpbfBIhDNn613_1Aeb1k0mDgOk2yM_ZXIyhjTKZFBTOIsY\#
    M5LVMu1BxYOECXZCKGktTM5D4QSj2ykUAM9jsTzsBWzjoH1t9kP1r4XoOp2dvFVh6eLpoU12qdmBIVaG6KdGP_RG\#
    RRXOTGihbKsP5LNnouzFi_CnLRDRY5MBXsJFfCPY9GWkyY4Iep1cW4vwfvxEyWslCayZvgQ2QAoshQ\#
    "}]}
    """#

let token = """
    eyJhbGciOiJSUzI1NiIsImtpZCI6InNpZy0yMDQ4IiwidHlwIjoiSldUIn0.eyJpc3MiOiJodHRwczovL2lkcC5l\
    eGFtcGxlLmNvbSIsInN1YiI6IjhmMTRlNDVmLWNlZWEtNDY3YS05YWYwLWM4ZjNkN2QxYjJhNiIsImF1ZCI6InM2\
    QmhkUmtxdDMiLCJleHAiOjQxMDI0NDQ4MDAsImlhdCI6MTcwMDAwMDAwMCwibmJmIjoxNzAwMDAwMDAwLCJqdGki\
    OiJmODFkNGZhZS03ZGVjLTExZDAtYTc2NS0wMGEwYzkxZTZiZjYiLCJub25jZSI6ImNRV3ducmhLUHl5TnlQcFZL\
    eFB3UEY2ZFZKRUJVQjVaelhrVFJGa1VGeDAiLCJhdXRoX3RpbWUiOjE2OTk5OTk5OTAsImFjciI6InVybjptYWNl\
    OmluY29tbW9uOmlhcDpzaWx2ZXIiLCJhbXIiOlsicHdkIiwib3RwIl0sImF6cCI6InM2QmhkUmtxdDMiLCJhdF9o\
    YXNoIjoiNzdRbVVQdGpQZnpXdEYyQW5wSzlSUSIsIm5hbWUiOiJab8OrIHZhbiBkZW4gQmVyZyIsImdpdmVuX25h\
    bWUiOiJab8OrIiwiZmFtaWx5X25hbWUiOiJ2YW4gZGVuIEJlcmciLCJlbWFpbCI6InpvZS52YW5kZW5iZXJnQGV4\
    YW1wbGUuY29tIiwiZW1haWxfdmVyaWZpZWQiOnRydWUsImxvY2FsZSI6Im5sLUJFIiwidXBkYXRlZF9hdCI6MTY5\
    OTAwMDAwMH0.mEMstKLoQICi4jhA6aFS3MFS3nOoacO3w1SJbveEx2hqQYuJ7jHsjqLnlVioiH8B9hdk1_u1OzQy\
    KT6pIuU_yq5o1V4-8PLvRZvohL1lDP9qDpwzIyUhdjScWnMxibwfqSGuxyyVtWDkegHtc4Wq4KLHegkdnTJOtvgF\
    M-UOtY-Xp5wy11ATMAjg0uTtzpXcc_fNtbs8Jp-2naf_3tZCARbLwLjS41VQuRhDJk1pdUM2x_QQn5qdOgxaGwew\
    0KqrWcUPOwOd86GiL3tzdlNItV83r0SyGzu6wnOw81SyV2imksghxHl0V2raGJiPgtRyNeWSmcKNLDPG8AmKbF39\
    sA
    """

let set = try PublicJWKSet(json: key)
let verified = try JWSVerifier(keys: set, algorithms: [.rs256]).verify(token)
precondition(verified.payload.count == 557, "the payload is another")
