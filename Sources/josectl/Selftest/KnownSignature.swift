// Known signed tokens for the self-test, minted once by pyca/cryptography. They protect nothing.

/// A token over `hello`.
struct KnownSignature {
    let algorithm: String
    /// Whether the algorithm leaves nothing to chance.
    let isFixed: Bool
    let key: String
    let token: String

    /// Every row but RS256, whose token is published; the RSA rows take its key.
    static let all: [KnownSignature] =
        [
            KnownSignature(
                algorithm: "RS384", isFixed: true, key: KnownText.rfc7515A2Key,
                token: """
                    eyJhbGciOiJSUzM4NCJ9.aGVsbG8.bbL-kHeMR5jfid_l3crN93MakFcYkOuDa5DstzTG1LNmkdKP4E9\
                    ot83rQFWlMTuK5qYOAdFzAyYS-9YRG4h3d1kyXlJSZHsaLgZdEw0ASnVtq6OAcwN8kMTfxo_YV2gUENT\
                    6548b6CQRGxk2cTidprhsFm91VWNd780zwkKoU48QLcxNRQw5yiY2VX1o1ISkoc-MtRHA69SYNwzKwXM\
                    oy-F7M5LxuTJW8HVUirOw5P39a1Erq1irksADz4NZpdu5-VYHRzFy4_MSlgY0761BB4TEp76ni5SiMGb\
                    clnUZ012LwdUIk6AvM9ghqsvA_kJypjiRvWRm8TcgKLi02516rQ
                    """),
            KnownSignature(
                algorithm: "RS512", isFixed: true, key: KnownText.rfc7515A2Key,
                token: """
                    eyJhbGciOiJSUzUxMiJ9.aGVsbG8.DFyW--Sv_JnUriuuTSE3WVgXXmKMkwOL3vhSNyPQkCIHudufqE5\
                    d_J7pFCSR9Bnfu0xFBvnkwnZqwGqDQVA4nkpNRQaQ_7HkzjueL2LnQFsxcCh7Vmop6D2fyfRzkGCV5DD\
                    6WqDnx0vQgNnJxTL38AF1QwO8VzNhCOGULfoexrT-VoEMintSVYVEZNQ6snG475V45pcIf-xZfBhqkDd\
                    dM5DIkXA55MAIU1dQw36y0lxQKHmVF6MqBc_qkO40J-XeSxd5kpVCdxSGpPAK4tqSBC7hsfI7nh5ey-Y\
                    2lvLLzspy5116zekcdvLzQ9zqSfTPj0sVMRRme3c1hTMGSh8PnQ
                    """),
            KnownSignature(
                algorithm: "PS256", isFixed: false, key: KnownText.rfc7515A2Key,
                token: """
                    eyJhbGciOiJQUzI1NiJ9.aGVsbG8.jiMnHxhikpGYSQoCgsIy2tlUp9Of_Fu1jt8QdjL9GLD-P7PrZqQ\
                    SdtPOws3Gsmdw1TuF6fL7_4epj4gdJr_Y0fu-aLKCQtMm-3bYaBSBogifzKdsFYWFm7fxSQerxVbU6Fj\
                    HfWGDZWzEoXI6DyxGWTqaWt3dcf1DjpmeoiP87eTUzT6jph4DlH5GBfUALmrxF3DrlnmwAzNGZVS8QAP\
                    ZobSJmhDxrSK3QKHObJ8O0WqvKH1DMu3saT_Fr855iRSHlRIpkmZDstxpH5RAKXGzSZYzBFVJu8D9mmG\
                    prYmLPO8F-_h6pgrMeSQ4QdEKnF3iJYmQQQJy_5PMO_92TMJv7w
                    """),
            KnownSignature(
                algorithm: "PS384", isFixed: false, key: KnownText.rfc7515A2Key,
                token: """
                    eyJhbGciOiJQUzM4NCJ9.aGVsbG8.nKEAqUoosCzzBxFkYVQEnOV5rHa9_dgaullQc0qEgEmKm07cqS1\
                    9C9Xs_vvTZzmTg1JRKDeivxXPczFWUQS-fairnAPPnanLPopsAcI_j_LoryZsg1bAFyvAGl9usm_M41X\
                    htsdv_U2rlHvWqh3yFeGG5To2RUTD92MFoEQzJqGqz1aZ6clrU7eE8Q9DR4gsjQV39b9mJiC85h1EpYn\
                    FcO-D_M8ts9AR5cyA9cFvq0S8B6gSC3q3qwtRsuPY8s1NoNI65wedfOOh51-FLp6IH0K9KKGAHeu9yKP\
                    TLyY-YUtIftXq8JKd_bjPvU24EoFzFRpFxiNeA87vWatOxamFig
                    """),
            KnownSignature(
                algorithm: "PS512", isFixed: false, key: KnownText.rfc7515A2Key,
                token: """
                    eyJhbGciOiJQUzUxMiJ9.aGVsbG8.VRkFA6q94nBXRPazd-YBZ3dHyc0g_lci_XD6CdLP5GvWjkMFeuH\
                    e8bPtsJhqgv0ijcQQpnE4ZOV5YOa0C49mjvpP9V6GREgXudoWrUdXDgDF5fK6afL83_AK8OD-2DKjIea\
                    fdH41PJGc0EuvF_gLiU2-uCG59Bnak10zbbfnyT8bmQ8bcz9mqLDLS3DvujembRrz8ztqnVQd-WEjvJS\
                    SKxMdNmWHivdhRGkEMrq38BNss4RJOItxyO3ZPR-jzVY2JnKhwRT5PwnBSBAHdMjPsM71sc7xzq1pT_o\
                    F2MKtn7r9bpXjgBD6oMEtdI4SBXGVCnpzGSJRXhwqtiusxmFDwg
                    """),
            KnownSignature(
                algorithm: "ES256", isFixed: false,
                key: """
                    {"kty":"EC","crv":"P-256","x":"jbiI67CnwE32ClIMHe5fJy93_dk0LVOYWPphRJI-dIw","y":\
                    "ZEWA4WsS7uyrDKTbaFLSW4rDLAHN1LQ5afX_OHTxhy8","d":"8EpGWQO4YLuZn52Vhp6ortMqz5Ie8\
                    sNzr2LVw_WvkEs"}
                    """,
                token: """
                    eyJhbGciOiJFUzI1NiJ9.aGVsbG8.YOFVTauXGaN1MFieBzIno9UY_LhWoiyNLIL7xTPwxTC4I_rNgKZ\
                    Cjf0TfcaSO8wpHjSiYhDry9VH7RxtfFpWCg
                    """),
            KnownSignature(
                algorithm: "ES384", isFixed: false,
                key: """
                    {"kty":"EC","crv":"P-384","x":"ZM-mXupmBJkTlJrnAtTfRXNsvagMdTW60ERoYREHPbVoUxPwB\
                    nllE80287_AaX1b","y":"GSos2UCKrmHBqBsspsBXKDCipo5ykwVQumRWMGMxMr55Q8gkwKVvhN6y8P\
                    lRidZp","d":"UVQZswv92OdsSmoZ0e7mQWCx3W_PnWh5ZP5WAZLEDZZijLHEZ0oz1fPMDoIW21Z8"}
                    """,
                token: """
                    eyJhbGciOiJFUzM4NCJ9.aGVsbG8._91DK5bBzZfyqGDgP4AVy8ufBqslsqOnhl-_Mrk4wdCUjIocnmd\
                    nRfN0IeBJ3oS6cigqDnl0bgK_ALsa-XRI2Q2q0KUDHFLoP6vjdLP2UB2REsCkTcJlCiWlOQNS5UCA
                    """),
            KnownSignature(
                algorithm: "ES512", isFixed: false,
                key: """
                    {"kty":"EC","crv":"P-521","x":"AAPM_7aS7hRVmLRrQRilMYSsMTCSb-QnT-2zsoieIOMlGBfBF\
                    NfrdK-aN6oulrrVff19qEfoYx8iQglcAABNjr8B","y":"ASVGtHsESix58RbDssmRZf6JCnxmD1Ylrr\
                    TX1h5ggxJ7FadyIWn3R-hRXpkZbzGcxTulwcGTvgGFOg2rpRu0MxYq","d":"AVahOP7Kn7BV-_tIAtv\
                    67-BgShJd1w2UME6kP6xlEp1hXepqESYqSKcpEcDVhKHDcL-E8uUkg3bc4kt10a1cqpAK"}
                    """,
                token: """
                    eyJhbGciOiJFUzUxMiJ9.aGVsbG8.ARhZssxITefSioN48RLIq5Hz4d1pCKiZt7U_k9xXJntOn-k7Osa\
                    4ILTD2SFT-mCVhiYdBuyVdDY1BAERNe110bJ1AdRTQ5yhKiv-S8k5u2MJtZsl9u7Q5eIJZavQ9h8HvHK\
                    ZYgBR0fGF32bahx0ezbm-NJq4rz0M_x__h4vEvtgabnU4
                    """),
            KnownSignature(
                algorithm: "ES256K", isFixed: false,
                key: """
                    {"kty":"EC","crv":"secp256k1","x":"KNsg531lbh9rz_1yDYjFVTNM56UjLt4VFNQtGAsiqds",\
                    "y":"XLsV7siC8UGr0sGndtkKRNU4Pq1gDXaofmJLXAUvdSI","d":"KCj_Sle3SxOGQu8C8gqO7NtbA\
                    hy245uQdBwB-9BZers"}
                    """,
                token: """
                    eyJhbGciOiJFUzI1NksifQ.aGVsbG8.tEHPYvjYKyOxk1EsQ360FYb5eSOti6nUKkBUn_WGQiADfSnp_\
                    oS5hffk__qfmInHlWdvrnFhugLyAl_VNFY41w
                    """),
            KnownSignature(
                algorithm: "EdDSA", isFixed: true,
                key: """
                    {"kty":"OKP","crv":"Ed25519","x":"isANDRBtj7TBFTcaJBMsGq316HSWe-CDtV0n8eY8qss","\
                    d":"R6hC4FAVyfV93XQvRtKoenuzE2WMvDpTLO6-aBzj5AA"}
                    """,
                token: """
                    eyJhbGciOiJFZERTQSJ9.aGVsbG8.hndwVT6nBI2zkVRqTCrAulQWA1pYJ5nG6-C3QqzvxUO78cpIAw_\
                    N9k-O_09vhDTzC6ipjqDCWKdAgufxXWWKCQ
                    """),
            KnownSignature(
                algorithm: "Ed25519", isFixed: true,
                key: """
                    {"kty":"OKP","crv":"Ed25519","x":"isANDRBtj7TBFTcaJBMsGq316HSWe-CDtV0n8eY8qss","\
                    d":"R6hC4FAVyfV93XQvRtKoenuzE2WMvDpTLO6-aBzj5AA"}
                    """,
                token: """
                    eyJhbGciOiJFZDI1NTE5In0.aGVsbG8.zgVbKu5TTOHcd3CIOa1DMRrrAd9gwSYKHdfh_3OE6j3MIwGL\
                    9oQus4bNloKmm6VGsdYLkXSHqeHIIp7UopSEBg
                    """),
            KnownSignature(
                algorithm: "Ed448", isFixed: true,
                key: """
                    {"kty":"OKP","crv":"Ed448","x":"W7rcRWxR0PtOHlKKDOEBuF8p86TQQxA0hPEBjFPlDdLAFVvD\
                    594vVOAcO59_w01ZGdS-U3duBJEA","d":"qigfuBKPEezTFbXM6aS2S8CmG6Rv51O-dsO9a-32qxmTG\
                    O8a6dihUqy0iB9lSRTgRjivNXNwYvfB"}
                    """,
                token: """
                    eyJhbGciOiJFZDQ0OCJ9.aGVsbG8.ik_HsLqv5c-O-8E3H8XakmpmD-P7IykjJu9IHUQpItw5VvZfeCl\
                    LYt8K9mPq7FXvmW0WGflPQ34A2a3TlrzFm1tAhuD3J7HWFXEXgYj1m0T5RIjfgL4i8KOG7HhtySd5BUt\
                    y3wUx_H_Cm3AiihyGlRcA
                    """),
            KnownSignature(
                algorithm: "HS256", isFixed: true,
                key: """
                    {"kty":"oct","k":"ttWI8Xlyk2ejheWrCoObIE3E0W47dx97DV7lx6OjewM"}
                    """,
                token: """
                    eyJhbGciOiJIUzI1NiJ9.aGVsbG8.cQ61jMFNy6dj_armri2bKGEX0smelm_9niQmVHq5rmo
                    """),
            KnownSignature(
                algorithm: "HS384", isFixed: true,
                key: """
                    {"kty":"oct","k":"pzA6m6EokCjUC7Yftd0mvoN8XEgKDXmntI0skJd4Es9-sIMiT4XzA3dHKIBO53\
                    rD"}
                    """,
                token: """
                    eyJhbGciOiJIUzM4NCJ9.aGVsbG8.whmkouHwZWibohbf39tqZ_nE3KICuYBBI5Au5gtWxN5BzuaY2gO\
                    to_a_uAa1eecZ
                    """),
            KnownSignature(
                algorithm: "HS512", isFixed: true,
                key: """
                    {"kty":"oct","k":"wXQ7z2HNJscftYORvGVDWT7Ko9TDYLZ1KhF1DDRWlMmyUfJsuoAY08sPB1WKjS\
                    VPjJkDb1HjReSBnPmgMSsQlg"}
                    """,
                token: """
                    eyJhbGciOiJIUzUxMiJ9.aGVsbG8.P_XANUEKUAi5a0FJLoE1dY0yJPwIKf3K734nKm-1Quwnhs4QBH0\
                    RkFzyYxwY_abWYoz2CSXRdkDgMkLCuz0pKw
                    """),
        ] + mlDSA
}
