// Known keys and tokens for the self-test: published, or minted once by jwcrypto. They protect nothing.

enum KnownText {
    /// The key of RFC 7515, A.2.
    static let rfc7515A2Key = """
        {"kty":"RSA","n":"ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-V\
        aw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9w\
        Gzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMT\
        BQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kz\
        k2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB","d":"Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpX\
        yWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395IW_GO-pWJ1O0BkTGoVEn2b\
        KVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV_0\
        ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOne\
        ufuBiB4cS98l2SR_RQyGWSeWjnczT0QU91p1DhOVRuOopznQ"}
        """

    /// The payload of RFC 7515, A.2, with the line ends of the source.
    static let rfc7515A2Payload =
        "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"

    /// The token of RFC 7515, A.2.
    static let rfc7515A2Token = """
        eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGF\
        tcGxlLmNvbS9pc19yb290Ijp0cnVlfQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu\
        3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdi\
        uB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--x\
        i12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5A\
        XLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw
        """

    /// An RSA key of 2048 bits, made for the tests.
    static let decryptionKey = """
        {"kty":"RSA","n":"4EH__-lU02D3ITreoKS_91g0OgiB-rmzufbhRT9CA2JipXy4CvxUCXrIDXcQfCxn1D\
        kAuLMz9fYqLAuXQrgkC7Fu9s0zXLTagp1dhN8326keS3NJ7iK-vynGoqip7iEiQJZirKBht-uScGJCia0Unt\
        2a1plp8nezvE8CFNr1zQm17G3JbXMzY2tYjfnl2N_6itPpMZ6sLSSc62T4dNSVE5RmKdl-vwR_Dhnfle3ZWE\
        wuSav-V-KrSUPkzchjhYxTtL3Etn7bgLEQN4uTgXMsBOybo3JGDJZ5v6YMaWeIZhvvfmQsUrrv8jz9nW8rEE\
        egPEI5aDt0tZsHYeaiJmkOEw","e":"AQAB","d":"QC-7Fg_hTs2JYrOlYfhRVqjRBChT9FgbR3vtuG_XAM\
        PiYO-upl8Gxd5eqdkNO_GoUc_-8IFxdSNdHT40DRMzD2uLEUdNPZi0lQsBLcDkmRHOsT4fvGY1eCR85J0zS9\
        3S2Kmm2k2Y8FE23pa1i_gsqO7EqHkSCILGBjcij-zWEJNE1l9M3fTKVns88SNLfckkF035ILsZ2ZV3ZuXRIy\
        2bma-08jvVYlQh26FSNQmca4hJ3bZWU5iAIO7jU9kyvX-laNg8JxUkVB4DWRkKofP49I_NvWp73-adzSygHs\
        rIkBDNe0VxXy1qGS9ApCedpUhJ1jH9SiOEIuaxiKw10Y9h"}
        """

    /// RSA-OAEP with A128CBC-HS256, by jwcrypto.
    static let rsaOAEPToken = """
        eyJhbGciOiJSU0EtT0FFUCIsImVuYyI6IkExMjhDQkMtSFMyNTYifQ.HTvF8qDOmMqk9DW56rIzzhd0ff8_4\
        N_7LCjiUWi2Fs4mPMC5FNHkmzyWQNH7YPsYX20UDwV-FUJ5DeSdKSmEr0y90EOhxTp_NKUH7F5wF5bMsTgHk\
        ROun4mna4LW1Z2Wf_e4YfzM6KyuFwq_vMokjZ16oHTFSgXqWwMK2bUxyjRkU11UZcZ3M-npKoJNlocmDMRBA\
        SYV2Fwi_gwH02HYs6QJIMDvuHsAgzSdgyjMD-tELcmRErb5vN1hOf7M8IgnYz3kAK8iJgzmkJ1NNT93avVeL\
        sdEPv6CQiAhhyZL5qkHALyoafHwOwq7vTr40xY2a-rXDkGKN1TF1Ahr7uSfjA.VvsNTmsp6wXNBZ7GLkTrtQ\
        .h72koIJQgvNjGo_vzYv70Q.-zye5FaV2p1g-OsVAbItUw
        """

    /// RSA-OAEP-256 with A128CBC-HS256, by jwcrypto.
    static let rsaOAEP256Token = """
        eyJhbGciOiJSU0EtT0FFUC0yNTYiLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.V3hpBCYOezubFKMRAyGz71kI\
        WCvwEaa7nJIiwFRlq55xPz8BAsXzQbzHn5yQwaoqXAx3fr8XRAXgBAlBB0wACGE1bnRHMKFSwQ5Po0AB-FTw\
        WkdlzBkb_ujZh4tuATlFebREmrxnbSxqyimo2wZSjs_nx3D-h9fuBS1EgQITDM53Oz24tLvyEQBDC4jxh3DA\
        hd1dKN8gbKK5OB0Fy9bixGA6qeWw19ecrOxsITzvBOTZHPHR0Kaomh9E-u3zNTRl5R1sM5LCz1QDmj4wT1V6\
        xDUJVlRbo30E22Z2PnzrqLHJRYKoAGPS_SaCc8ZnopQENEF_X2l4ZEyUDPKBqoskbw.yGT0NnFGVM9kJx47j\
        BAn-Q.tKdHgw5TcIpTzfeDTv8Xuw.KO5zYL73ZfvfnMONH8fmgw
        """
}
