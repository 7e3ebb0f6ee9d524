// Known encrypted tokens for the self-test, minted once by pyca/cryptography. They protect nothing.

/// A token that must open to `hello`.
struct KnownEncryption {
    let algorithm: String
    /// Nil where the algorithm encrypts the content itself.
    let content: String?
    let key: String
    let token: String

    /// The RSA rows take the key of KnownText, the others a key of their own.
    static let all: [KnownEncryption] = [
        KnownEncryption(
            algorithm: "RSA-OAEP", content: "A128CBC-HS256", key: KnownText.decryptionKey,
            token: KnownText.rsaOAEPToken),
        KnownEncryption(
            algorithm: "RSA-OAEP-256", content: "A128CBC-HS256", key: KnownText.decryptionKey,
            token: KnownText.rsaOAEP256Token),
        KnownEncryption(
            algorithm: "RSA-OAEP-384", content: "A192CBC-HS384", key: KnownText.decryptionKey,
            token: """
                eyJhbGciOiJSU0EtT0FFUC0zODQiLCJlbmMiOiJBMTkyQ0JDLUhTMzg0In0.aGXgX9uB4SlBf53kiv15E\
                n6WNneyEWdoUs56hPcBrcs71ZXmgXWK8Jh5KUf8IxegZL6WyH5SaGKL8zP5gwXvv9J8AAkP4BMWffg_U-\
                yeNo4RwTbaY35HAav-FF_kFhjaN0F01p7Mxtlsl2b_9gWbhFjk_qrgbgOtsvXAKhm3b5YvYkuTBeS5Oi4\
                IaUowdCcgKc1CCxJT_WwRZIZA8mQlNzR7cDuU6kt48oFujEN6DxDmNHImtxlxxEJ12mo1hzO6vWvSxpJt\
                -Cn7J0aJDB_caD8N4XtR30Qp9t05-waRSeppsifzi8VHAQVedMmWpaGPhVVgR92wj5-6aOiupJmvmQ.PZ\
                H4dEjPDtoS-keYr9lYDg.ruf9leIJrMGdvhCmHPNqAw.l3rnMdSrVQgdhzJPPuP9w9svZDdY3e8H
                """),
        KnownEncryption(
            algorithm: "RSA-OAEP-512", content: "A256CBC-HS512", key: KnownText.decryptionKey,
            token: """
                eyJhbGciOiJSU0EtT0FFUC01MTIiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIn0.jCcQIYBYX290vsZ-2VJVR\
                7Lp_I9BzwsNvJb0MWwZqu7I8Wbt4BLyBxyBj3LseGhLbN_kr6YiYpSi645bTdQ4iQuytNQcQDcxtG_xE7\
                v-aZrlb7at8wSlPe29AydzKPE6UGz8dGyPzcPEHjh65ZGI1zAYb_UJXD5RRYCkW_2MA6zxbgDNQqbAEGE\
                B5XSxPDpBRpMO3lx2oXDPzUgDV-CJOiSVToY5FtisqdjNq3hhGlViX4yP877wGxGXcFMZHHcKOXB9o4Ag\
                PD80iGVA1gOQ-zp-VJuf40bWPbgJywf_QJeMueJg_yO9H88R-fFbiN1wx0tOciOlDPZR2e3B1bCsLQ.Jl\
                -1-_usQgHGh2yIvlcYuA._oKoaPQI9-8DAJQZCA-gYQ.kcO3aUF3nKrb0-GVHb5zsjeC2nj5IT-aSfKC2\
                iCwCBY
                """),
        KnownEncryption(
            algorithm: "dir", content: "A128GCM", key: oct128,
            token: """
                eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..DY9qJ2p4ss86_Hw5.58DG0AE.f-ZLp0kBDA5awaK\
                gGswTRA
                """),
        KnownEncryption(
            algorithm: "dir", content: "A192GCM", key: oct192,
            token: """
                eyJhbGciOiJkaXIiLCJlbmMiOiJBMTkyR0NNIn0..XVskuiulZaN7esJe.ErBcftg.hf3O00h4dOXFE1l\
                --9KCKQ
                """),
        KnownEncryption(
            algorithm: "dir", content: "A256GCM", key: oct256,
            token: """
                eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..ZmgbhU3MjZTLveEA.oELWJDI.L1wzV5cfosFYgTA\
                vxJNTdg
                """),
        KnownEncryption(
            algorithm: "A128KW", content: "A128CBC-HS256", key: oct128,
            token: """
                eyJhbGciOiJBMTI4S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.uaEKuWLbZt1s7FIwl2ZL-MB6YIQ0M\
                TCFBd900RmkFiCvl4Ak9pqqnw.QiwsGQrw8IwFi6dfcfdZxA.HOb_tDtrQvws7y7LFXA2Mw.G47EDqWSr\
                F7CyMaarAonxg
                """),
        KnownEncryption(
            algorithm: "A192KW", content: "A192GCM", key: oct192,
            token: """
                eyJhbGciOiJBMTkyS1ciLCJlbmMiOiJBMTkyR0NNIn0.tZosE0C8PujzpFDiScQwXVn5sIvXkOkJt4d4g\
                EKvgDo.8xg8sr1sewLRJcUK.0sPdPp8.BDY5Apn7NSWWjCo9K70-GQ
                """),
        KnownEncryption(
            algorithm: "A256KW", content: "A256CBC-HS512", key: oct256,
            token: """
                eyJhbGciOiJBMjU2S1ciLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIn0.t4eKr074jFZ-UJeO8SJx1_l4Iul3G\
                hp0rVL4PJZAFJOc4Q7QLfBS7i2jtB_C_kPjFXglT4Kc6Qxhp2Gm8kLo1f4mvMvB_kD9.qoGASYsW1USNu\
                HsXSP2Q6A.pogAHQxYHvLAbjJBhdCSjQ.LKLK4l9CAj13PfeO_iCLc2FcOS8Hhvhy6cqGyfYkh3U
                """),
        KnownEncryption(
            algorithm: "A128GCMKW", content: "A128GCM", key: oct128,
            token: """
                eyJhbGciOiJBMTI4R0NNS1ciLCJlbmMiOiJBMTI4R0NNIiwiaXYiOiJibnk3c3pwV0JWakJXSkNuIiwid\
                GFnIjoiTGxLbE50czgxWExOQUE1S0hiS1ZpZyJ9.y1_plC2EpsUBhkGfQ54-Hw.33Xef76ivmwzspse.p\
                80_Qwo.gn0UTtbumUvf9YTnDpFFyw
                """),
        KnownEncryption(
            algorithm: "A192GCMKW", content: "A192CBC-HS384", key: oct192,
            token: """
                eyJhbGciOiJBMTkyR0NNS1ciLCJlbmMiOiJBMTkyQ0JDLUhTMzg0IiwiaXYiOiJZemxsZjR6RWNKQXd6S\
                1hpIiwidGFnIjoiZmpqNjNEeFBySEtRLUFPb1M5X09MQSJ9.SggI3dRY9fOV99FR2xri5UCZA2Dt9nm-B\
                u2T21j7teNdkiYoyYdPoIO5MXv9X4qx.ZW6tdvovK3ZSHzkYNW7Kqw.V3AReFQN6ttF8VklXSa5iA.U0v\
                N50377foZcu-1Mouh_6M-4B9qOFIx
                """),
        KnownEncryption(
            algorithm: "A256GCMKW", content: "A256GCM", key: oct256,
            token: """
                eyJhbGciOiJBMjU2R0NNS1ciLCJlbmMiOiJBMjU2R0NNIiwiaXYiOiIycVgzdUtiX3RjVFBiMFVOIiwid\
                GFnIjoiMURXYkoyU1VtZnNpYi0wN3h4bEFsUSJ9.Chz5rX6AggL4dUY6Ti5EAMoARIM08GJ5EuS6hmZmX\
                q4._1J_f66F6TEBO8gh.uRbFbSg.UglaunK_v0C6jrfnwQU0yA
                """),
        KnownEncryption(
            algorithm: "ECDH-ES", content: "A128GCM", key: p256,
            token: """
                eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTEyOEdDTSIsImVwayI6eyJrdHkiOiJFQyIsImNydiI6IlAtM\
                jU2IiwieCI6IjdmTDlVeFhuaUVKVGR2cmotRzg4T1Nyb3pwVnV2YVpTNnd6ME0wVHNDZjgiLCJ5IjoiOT\
                dpM0xCTlZRTTBSYzhmazBsSF9SRmlmc2poNm52N0p1RFUzUk4zUngwSSJ9fQ..Zna5HKVhbSyFkeoD.aP\
                Igbsc.EaPO2wJbxrH4zfyV3AfUyg
                """),
        KnownEncryption(
            algorithm: "ECDH-ES+A128KW", content: "A128CBC-HS256", key: p384,
            token: """
                eyJhbGciOiJFQ0RILUVTK0ExMjhLVyIsImVuYyI6IkExMjhDQkMtSFMyNTYiLCJlcGsiOnsia3R5IjoiR\
                UMiLCJjcnYiOiJQLTM4NCIsIngiOiJJLXMtelpvdUdUQkpUZzB0eGdxM3dhYU9zYzBLUnFwa25nNkJSWk\
                xPdkhUQjV0Yzd1alJaUnVBZFFmbnY3bHNQIiwieSI6IkZueGkyQWtrT2dXNEJEcnczalg2b0cxYk5leU8\
                4RndIa2RZVW5OY2dfNzhtX1UycUpMSDVIMUt6RXNfRktlRm4ifX0.lZikQN8-WHs4NJqxQ77IQmkbd__Q\
                gwyS4dPl2H-bvTHDFSZq3XgOrw.TfVU12XBDGJFWL_99p19bg.alzGgcOCRgkQR31n86VraQ.YcV2sppR\
                wT_rIloLxMZcqg
                """),
        KnownEncryption(
            algorithm: "ECDH-ES+A192KW", content: "A192CBC-HS384", key: p521,
            token: """
                eyJhbGciOiJFQ0RILUVTK0ExOTJLVyIsImVuYyI6IkExOTJDQkMtSFMzODQiLCJlcGsiOnsia3R5IjoiR\
                UMiLCJjcnYiOiJQLTUyMSIsIngiOiJBZjE4NFMwN2pvdDQwZU5OTXRkYmlpOUJfOVktQlloT0w2dmp5RX\
                BVRTVqOUxHa3p6UkNUdlBwSjk5MnlFcXpGcE5YTVNuTjR6Z2hmM05yTnFmc2dqLVlzIiwieSI6IkFCMjZ\
                IZXpBZUxxaFFuN0tWY1lINlY0c1V0UjdRRC11WElhZGdER1N3UHRGb3FkR1dGUzNoaUQwT2JhSzN3enBI\
                WnVyYWNaM2ZDWExIUUVsWGJIYUhCNTEifX0.oJJj-AVJvHOiMGfqtIqW725xel-ZWcC0Krs9HGe9DgiJ5\
                2irpzQgIlb8HTXO8tPaLx1eXqHfWBU.a8tG0z37vyD4D0UuyncKVA.AMnrImZKMwpXf8aP3AHC2A.Ojjx\
                Z5sJXRjjs8S7ulTi72vBRF0lAZJt
                """),
        KnownEncryption(
            algorithm: "ECDH-ES+A256KW", content: "A256GCM", key: x25519,
            token: """
                eyJhbGciOiJFQ0RILUVTK0EyNTZLVyIsImVuYyI6IkEyNTZHQ00iLCJlcGsiOnsia3R5IjoiT0tQIiwiY\
                3J2IjoiWDI1NTE5IiwieCI6IjNnMW5icUxxd1YzMW9pdjBCM2wwbGIxM2hnVmNscVZXWEFlQzVuMWRpaD\
                AifX0.tvbDvk-kKogW22HVc7Tak7k2UilPkE7EYAWv9KkZx3di4Zfu8rDXPQ.QvPMvNpuUIaqtpOY.V5I\
                KbNg.0C0pTtVrCa5E8RU2BkldOw
                """),
        KnownEncryption(
            algorithm: "ECDH-ES", content: "A256CBC-HS512", key: x448,
            token: """
                eyJhbGciOiJFQ0RILUVTIiwiZW5jIjoiQTI1NkNCQy1IUzUxMiIsImVwayI6eyJrdHkiOiJPS1AiLCJjc\
                nYiOiJYNDQ4IiwieCI6IjBFWGcyUkt3bkc4SU5ybmFweUdiYndXOUZ0dU81aE0zeVFWQzRWUmhNaXRDTW\
                pfU2pfbzZlVHdCem9Sd2I5UzZqLXkwRENqbFAybyJ9fQ..jNxZz7t6nrmQtVE8b4IBkQ.OD46N6pTvj6Q\
                FYIUwf-fog.sUXfnO67dygN3iAs9Pez0Rge0itL2q9rvig3zKqo5do
                """),
        KnownEncryption(
            algorithm: "PBES2-HS256+A128KW", content: "A128GCM", key: oct128,
            token: """
                eyJhbGciOiJQQkVTMi1IUzI1NitBMTI4S1ciLCJlbmMiOiJBMTI4R0NNIiwicDJzIjoiVmpfdGs3QUZHZ\
                UdqeTFkV2lDdjNrdyIsInAyYyI6MTAwMH0.0sDMmOH1ZvpcUUFxVOtWtIfyX6z0VU7a.oHwymeLagIehz\
                8z8.cFHRTsw.nt87FXStJKrAe5TMBWzpew
                """),
        KnownEncryption(
            algorithm: "PBES2-HS384+A192KW", content: "A192GCM", key: oct192,
            token: """
                eyJhbGciOiJQQkVTMi1IUzM4NCtBMTkyS1ciLCJlbmMiOiJBMTkyR0NNIiwicDJzIjoiYXVrMzk1WEZMV\
                zdfai1ZNjRVamx2ZyIsInAyYyI6MTAwMH0.KPQ8D_hFS8rNTiY9ae8IuiFlWYDuq8VC2b1CtiidkKY.1U\
                SxPwywENtsh3Bx.kMj3HNg.6R0TlC3l609wuj_Stzd1eQ
                """),
        KnownEncryption(
            algorithm: "PBES2-HS512+A256KW", content: "A256GCM", key: oct256,
            token: """
                eyJhbGciOiJQQkVTMi1IUzUxMitBMjU2S1ciLCJlbmMiOiJBMjU2R0NNIiwicDJzIjoia2tMQjJUcFozd\
                zRiVlFfZ1l5SzYwQSIsInAyYyI6MTAwMH0.-_aNwe4pA2ucYGUzDFzGdh0yZXG6m1LMn0vVMRMwdjMo9c\
                tTzinxoQ.v88ON8qZO4b-vN5R.ON2QVZo.ot9iPrlyXpxERIoll1vPAg
                """),
    ]

    private static let oct128 = """
        {"kty":"oct","k":"kJolmXRl2e53175DCuSivw"}
        """

    private static let oct192 = """
        {"kty":"oct","k":"bpiXTtGIvPPHkM1nlNPHfLoQm6r6AJbm"}
        """

    private static let oct256 = """
        {"kty":"oct","k":"TUXM-ZGJhum_b-tXmMh1JFS1dtGMuH5ywEOzemJRyGI"}
        """

    private static let p256 = """
        {"crv":"P-256","d":"GYeinXVphRbMk_XQCfR2iHRcehh3yFiCe7ofQjE7hrU","kty":"EC","x":"Xnx7mX2j\
        6FS4OcBFroRpzV82qsLCpWX2R9jC6MDbQ3s","y":"-xZUNTUaRRt9cpaPLMrplTW6zGGvXBgEWauC5VE7zXQ"}
        """

    private static let p384 = """
        {"crv":"P-384","d":"p_F5VZbXHpaUsSGvzpEktRW4yBKIOwsiD6r-3lCJC2vJFqWExf5-kqToXK4iWpuk","kt\
        y":"EC","x":"Qblrx-nlxrTBTko7ZqIBny5-WDOCOoev2i1hAczKbGNdDXh_a_88Wfzf4a5xebG5","y":"sQMUT\
        MVBgYypNTP0uSlL9vmLGBnZKyr0S6HlK4DNnE-_Y5iviU0QcOjC33_0S5PP"}
        """

    private static let p521 = """
        {"crv":"P-521","d":"AEaOCqUvcObuGyzfz2GLnwzZq9lDnZYQYmADY8k8fDG9aPwMUHBsniJNlk0vVg0k3wHvv\
        FqDHOm0i0NVFgnuWtya","kty":"EC","x":"AZsA_5TYNpl0ORXEAYTSX5-_JUuXw6pp3UONehCAmJ7qF64CRNfL\
        aOrYwztcVHLAT2o3ma8bZuQxOG73qmQgEzRC","y":"ALiIotwdQbzR9o8bkJb3x0SCd_P0o9PVzZe0QNq-9fim6Q\
        iYvCXXRWWKvWOSBVZ0Z5niphhXtWMU_TzARns9riTo"}
        """

    private static let x25519 = """
        {"crv":"X25519","d":"CJ2iy7-Pbbj5aqCjhLfXmz1lk3Z8lBwW1l09GDISWWA","kty":"OKP","x":"qCgmfY\
        XJXAzCXKznLyL-zEeVwnophFuqOosBsx4IWiI"}
        """

    private static let x448 = """
        {"crv":"X448","d":"rJSbKqBVp0fcgNMFZ568vBMT8pucuSDkUfYQBeavDtWyY3VwUNMVDTghWzDkv5hK88eWDi\
        CElrQ","kty":"OKP","x":"JLK4f0uuDwN5a0viDjbrpX8WRJiLi-wO1DYdRhCgc8TFSRSTZxj1OxjdwkTO9cMmx\
        lvNhH8ngZE"}
        """
}
