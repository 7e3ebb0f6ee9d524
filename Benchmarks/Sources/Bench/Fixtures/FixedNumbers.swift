// Fixed RSA keys of the benchmarks: counts of instructions repeat only with the same numbers.
// They are public by being here. Use them for nothing else.

extension FixtureKey {
    static let signing2048 = FixtureKey(
        kid: "sig-2048", bits: 2048,
        n: """
            pyixbTDhErwYd-CknuKhP-t0HJGG_reWVr7Al1Bs3F9PjzhBfeTRC-RlnykxPMUIiva5RcmQn5HE\
            JYzsY2Dt_HooL2jj6TQXQIM0Zv2y8bvTdfvSNSeoG49R2XpL0RBNzpZpbfBIhDNn613_1Aeb1k0m\
            DgOk2yM_ZXIyhjTKZFBTOIsYM5LVMu1BxYOECXZCKGktTM5D4QSj2ykUAM9jsTzsBWzjoH1t9kP1\
            r4XoOp2dvFVh6eLpoU12qdmBIVaG6KdGP_RGRRXOTGihbKsP5LNnouzFi_CnLRDRY5MBXsJFfCPY\
            9GWkyY4Iep1cW4vwfvxEyWslCayZvgQ2QAoshQ
            """,
        d: """
            DB3cgpQ09GUzBtl_RU8bLiV0lK-Nz__hw2bvUeiQA4dbHoAO6z-_UXPcU-Wp_oQvwtbwhhj-xTpN\
            NAWbivaXOaJnMEyTnK9cch4wmbiRFImvYdF_or-9pUXFwpRlU4GxiiSH_uKYdxC82yhEp4tnpeiQ\
            thpYhFPxP_q_o8_Gze-QiP06jk8Jgi3yiqfWPU3ExGKWGYX16qs31MnGlPB0ug2wTCctx4809qFv\
            Jm-tU1UmanSJt02O7k_8sIREfuJ_OKXMIbXIf0yECnc4CMwxTadN1aZJe0U_zHusawb7HlWVpVn9\
            fasn_L9H-2QsvUbWLETUlcCEgK5pcnmfUUX_fw
            """,
        p: """
            4LnnWbcd_hZBqqVWhYl4uGjyCv7JP3Fii1_ZiU3V6nw5aeZAFl5b7_zrFBNpnqwJuNtgXc8_AFv-\
            tY-YpzBHkpUC_7awMun0eOSJnfZEdSVhArSQsqtLnGtla8bvU9Rdd7DSX5tVLlCdBwYuhmz_sOay\
            Zcs3Rse3oFNo940XbeM
            """,
        q: """
            vmvmIgtPsZELzB66MGusfC_ASgrDRqG-JRdlBgojVhkMwh-iZDBSO8expf0Q9N6ofkSuaYFB2PMG\
            AQPIrZUtjsPWdUjYnBFvq4V_Aplxgvav5HZJzFxOwwtrDwc8xNSkVxR-BZXskHPA7J4NxkCyl9wG\
            5RP34D2mgT_591QdCHc
            """,
        dp: """
            Gvj1NaVu6iJNu2eg3OJFJQ0jkAJIsV6wjz3v5DT9aemDEpzaMFUe_80BgiVaVfscJ53dESVg0HA6\
            QBx-HAMFdCiCdaK9vz6pYyE7C0SVruHPpP17KJa6uomBYNA9xXgFx-nnNiZ0sNxoHIG3b9cBUYA_\
            BUzA07QA7DNWs--xUjU
            """,
        dq: """
            R7cHQwcTioJf-Q4RfS7wFQ0-1CPdi3pazElVSMMEr-ZbQbj8RdNVBSKeKy919WLt_jALp7yAeh58\
            wmEUcRtfvwbOe_llatG-RtDOFsKHV5VkhRxvisGxABAKz-wf3Nlg01Lqa1wdbgHKRNL5yRKQsFSz\
            XA77Kb7OOJtJnvZUwN0
            """,
        qi: """
            VkpNVYMwXvPrUgDie1NcsGjIRaSywU1ppsro5JWKe_EyrJM4zMuJAxU-RZ3YZnduSsNyyCJGjQ_F\
            TZ_Csur9p2wMOJXBTvSJK6yBEMvUlF6lQ-KdsPEnu-nqDvugUxJoOv8iESxe-rFub9jsyYa8Ljd-\
            hbK3Y1spWeZEZIaCQt8
            """)

    static let encryption2048 = FixtureKey(
        kid: "enc-2048", bits: 2048,
        n: """
            x_8SnKTZxzGnZx2DqT9N3g93P8flE-A_YUAdKT2vyKXCwWuYxIPrfN4FE-QlIWVzD44o5R3lX6K5\
            JbgBcqov0J6-pj6RzNwtJ7IRvvtGNay4IQyYpBwtphKp7zFtXnVxCBM_ndqjujJ69GnCLHTJzE6l\
            H2YO4bd5afPgZBFaKLBn_iFrMDprUOYjn1WzG_btXWv5JKsxbwKGeUo4rG2Qo_uEVpGeLohGfEF_\
            BIFyUGy4azVvRKyRWW6r96knzERGU0KaeYxr2d04BTzXuDnqKqbbiZj8rm0MRWI8_ROuwjvDrn22\
            FPhyV89IwywE0x3myF8BDeeXrVvOaLmq899gfQ
            """,
        d: """
            CtGM6VV4aTl_iU2Rs_ztO68Mxp-eImmvBAO6tKvWJnR1m2oPwFrHEk6wRVfCDwD949KqjMyYEGRR\
            mxHf7-P3LZ1EJSxUKQekl2NoRKEOf8sVxjPl8nqvKy7uIltn1gQ_xHbqqg9VItsTonvoXjGOi0Wa\
            ZHq1ajvJaiZpY9vMcCuCQIoNnzpTxHUgIc3uTaIi98bsBqKqwm2J1dG75yz7YSHn-oFbt_NbBfVG\
            AfXedmuSkK7-Mq0-gPgTqWuneI82P_P4HIajdVzcRWWYDFn39nsFloToyxNsyns1_Avffmvp_GaM\
            6KghNsz42h6uaDE13jsT2JMOJTJajiO_z3NJwQ
            """,
        p: """
            6HTOk8tNpXmsCGKUnTLKAo7EIqFtR2nd-uY913sbJfbWFIy6fb2CCiZ4FOJ5ucMJmBl57ctaM1DX\
            DcwMu3-kh1fVOTJPvFtNsQLsP-g_2DUN5Cmc_W_wQuxuc4ETJozKHhDXnLwEH8QxCjxJ9ISlQBY9\
            vz1x_cudW6sHft_EUV8
            """,
        q: """
            3ECi3FX9uOOfx2JcjzdhMjhm3KGKkFuHBc13tLorxkC8dtCX9NrkL0iPm0rELtWd5apBHakFiBYl\
            j4mTnFspUpn3m9ZDyLTXNU8Yfmsl1AgIf0TRTCkja0CbSLZ2X4WpfRJ4CWT4OzdRhNLCauuhj0xj\
            S0nvwGdm_LDxs4XFD6M
            """,
        dp: """
            Kyt-Lc5k1iVZgJkmNmd3QrBW1oOaMtgDZJQbygfPy-YibeCQxcdK_i2UwXQp3QjOoFOi5DmOv9b0\
            iVhqyOt0l7oFHEEus7FVJVmAnIG6UaHQuZ3MzPhb62HTRVokP1WIN7sy_6WfMnMSFG-L4IA93EAF\
            KZ30rIiC6cJCexp9cAs
            """,
        dq: """
            S9F0PqTbUmoI9nnFowdNThxcTFbPfCIFuNmh-3Sa3QQr3DqyFHfFVQGFbc-u-PBQCl8xSySD4vS8\
            uUyCo7A96VFXCy4W52BZNOClbd80hmi9hBIMeksvBhyXV9B3ryozzfotmA5J5RiF11M12diDJPEG\
            vUQWZAU0Togaq9HApEE
            """,
        qi: """
            NGhdOiQCTNKNotoVHd6RtkrMHE5joLptUZZmsYcnbpRz0txkz5QlBUdB5lKWEvm622DmnkvPgiSP\
            gmjhDo4D937oKWZbLHLFWuejNBC2zvUM3aF-m_wHNnbfPCxB3nWHQk5CH3dbjQpHGAgu4a9HSB7f\
            FM53a5YY5fhquBuvx7E
            """)

    static let rsa3072 = FixtureKey(
        kid: "rsa-3072", bits: 3072,
        n: """
            qbP9s1tVaShL3YcIlkJcHB12DfRlptEZljWb9i9qxiCg2YDVQB9ExaF_XMsdBzfRUMQkHxtSDZUq\
            -LiPT0Q57Qat8bO8YjVU53UPatQ8qeBayD5BSFMIQH8ymHxPtn6L-ufscTMMBjkHOnlNJAELZyOc\
            VgOjXLfrdcVp7YohV37uSFz_-C6inbtN7q-qs1WtAcq57W-Go7WLSvJlDraEJFFbmXKyhkiMoFyW\
            gtETBytf_NZivXwNV9d5SvY5nDJN301AG9tYg-7m2noxZJbWoTT3DmWPQpVLEJ75PJfHwCsbbVWb\
            20Am4KC-jzHoAQ6EnaEvFSN-EHIcdXdnffLrs4Cy6vCmPj3sXLO9xOFZleuMMcCVNsI8xozn_kHZ\
            tJErNGO06mepD8GRWcly9i04owzQwBepc1qNO0z6YUHn4K4Fm6px8-P7KJBs-6_H7TBhD8FfpX5x\
            C92QIJdXgCkJLMQpX6rRSgVH8vx09CFLRkhrEycvjJLU9Rz2BbW7T-_5
            """,
        d: """
            FmJf-fr3oqXGkANiPhOlu62lJ0UP7XeSVO5gUpJBlr2yCc6FEm6tbxYUyyQdgZi6utkMXLAJXDJL\
            V0Bc4ttAesPRSNro49leCCO4M2KoV834m4YerVAKfBtrDJMFHrDFfQR_exT9Jor6KZvbcX7Txrh7\
            RBs5vp6h58hw5vy71iMvggsGVnGsUHrm1i-EqCAKcHyRlsCJtWlaZLnhW5X2iyXSG8T1yGGkbviX\
            f8zdIip2AE80-gJ1bhtFa_5bbf9yb7Bh3-IppGVMqErwKhFqnWRid_IY35NMpBYn3_3-QEb9qq70\
            EHeXEGjBFjODcxtEAmkoxG5oLzGMnY9FMqGQx5QoYC9AiX2ADBszNvv9ZCtFPJAkPPmOzpu1XFtU\
            vpwp_B46v9XXYl4c0hOHr6BNWUNrAmxTYRLRQGCOCK3xrIy6YH2mecbWcAc0RBwvHyQ8tiOWLN2T\
            2vc3EGkibCtlhtUPLSOQrT8xHb1tHQrUlkaFoDt7N6Okf0-51hIL_K_D
            """,
        p: """
            7F_iF02PxAi2CUZC9-EDyU1yxdAhU5iz-UfaTZU_iph1QYVMrR0slbGwOWtFPHihqkaCgmwrWm8m\
            yc_iGr1b8gE8bwqN5diaflbOVoBk4dNyi9iAalGjIHonIFm04QTKIHxUzNxQsEL0k_OWD1OTDSGu\
            HxgE-G_cDYN5EfnbMgqFt9_d1TwdTecLWSJgvLEqZdNnjRbLmXg94GBSxC49M5aLgDTa6K4A89i0\
            9461S8JtKog2pyqE5hZYMG5DDKw7
            """,
        q: """
            t8sDTTYQ7riRhQhEN4GE_kjNs8FtO4T8oHmT_oRPInq1KmN_1rX_GuPgcvzEH_Beik6_xnY2fFS6\
            6ae0tsXQouS63it1tjKat2Xxe-By3r-lNb8SSvFmGav-NfG0zC1YK5qHz7NgilTlLIbu6tk0DsBZ\
            dtzK3PatHa7H6vbHFsepIst0BSYL4Ou89LQhsKgV4nB_zcjNz0sga9Sstj1oekddsWsZdr23iFsW\
            o4JxOWfr6Rd1iesk7U2vroSEi7Vb
            """,
        dp: """
            V8JRou09Dz9ctpzLiFSWn0qN7juT5AGx8D9pIZzj9oUcI7NmAG_webN7BhZ5ojX3b8y1785RWkYi\
            VJNGEz9yv6sN0PxOKqP82CNKgHsy-VUUFi_PnampswknNa-YpGKu2NjQcy7pFkgFnli1wgL5ecqj\
            Zw_36HU_chT6Al6Nr0qQ0u_e4KhtCNtbL0DAQc5VO3D95TgtZ1FpR8D7ebLhLiIasQLus6zG1cID\
            jlYBoZsSBNSF1hLHPNXW8EQ_yJi5
            """,
        dq: """
            IalR8ns7gK1XIZlQ_SWAmR32Zry_Z85EgpOh0lSjNbppodjVWhq9HUytGAJJXVwlxIkFwLB37C-M\
            iCzKAUubmanwu64UAgmkooBOSRTjlP5eoMhc7lLmEz-X8INTTK3lXx8PTrAYt10zGAOikGq1iRob\
            iJSJpwyayjvvq44FCpwI0zGWDzdXp5slYV_4Z6VxVKasEaF8aEHnLzilZT87-mFFvK_T2xaGHbgp\
            HktOt2fcIjXEtjzV54x556mnqPrP
            """,
        qi: """
            xrCJE6oskEm_gvvzJnUTjXelZDClOuPTEGdr94EfV-BYA7aMHdHKBTJosjV_FpFP_UIRmb445H27\
            2o0zffULIuGLDSgSFyEqh6-cn9QXQrJxPxvrfsx5d2PokuETZJ9_WN7mMMkz6IoN8HK7w5UyEzu2\
            8yhJRW1OYOb_xH-E62kRRv2Pjk7C5GMtaf5fw-ArNSV7lBuOGRXePUIfueZMNSRmO9kGMehYYbcM\
            DqUUiPg_mqyLyDIM8J6syN6XkueN
            """)

    static let rsa4096 = FixtureKey(
        kid: "rsa-4096", bits: 4096,
        n: """
            uXPQOCSa6jK99b9FJ4XL7xysCm4ch717osZX8HzCLiD_isWBCyKPwcEyrGKhZle0XFgXHfLQ3tvD\
            IYMGXCClSxrawWp4LCULPGme8dY-znfJTUQDzsAZXYJwjyxpDb4wycBk3fZhPf5kFIiQZzBq68Bf\
            b2c3F5Lxc0LIvG3rtFtSJa77659KrmLc2RcTwy_HSwyFQ1UjgEbHMQz4wl9Cy6V4_kCryVmpe9eG\
            1xTMkxP809QybA3vAUaO7m7xQQeaP8bfeOX7-xX8dNaT4OSoiXOfYwq3vVscLHIMHOEV67WtPX9k\
            YZBnUunoSAyohpjP9w-bJHUxmKrC-7_RHcV8pLszvV6tIao83XGxXalz0y6PWS8iRO_5Cb_E4Op1\
            PKwZe6R4EA53WeO9oTcZ4SW0A9IfKCbk9AUJ6KnzP-grovISRbV1RUJnz-oEcpf-6VO1faY8nl9J\
            c6yaV9yGlzWxy7bCZdN21AwY0zJJvLu6bQuLBE4EEPlm3IC68yj8ipNA5xcUz71I9dwJYvdzrGz8\
            KlZ4eFgqFvVBLuCb2CNY61shvawfH66bTBZpmu2gvTrExGNtHTUJWx90q_niaCmcBDoWUY56DqHC\
            iYqaYGTNjEEnSsvdkDqMtQlEjw-oTp2-oUTu27_P-nYSAkuz5z2DF-k7OQoWwDD4HkrihUJXQJ0
            """,
        d: """
            DLMppy6ajT88Uv_uNG6tMIq-HVi9C26mcNc0XnussIwB8_bih2iuf45DchqvAtsutsQxkRN3yksy\
            abEXVmfF6gbExEoOQLeotVJmWBlb47fASVJHEHmHQygTnTplV1OW87oBLlIZBq3NHLrdaLOgHtTl\
            tDNVSn_9mO8R4BWG9qrqTTpWdiRKcPbEOPmjmNJEy5bn6VyDOd2e9nT09Bqh8GA8kOzM1tUVDi4M\
            Rd5exBOyVK9LZKrvmx7B2wIt804Z-hQcaaMWRnOS_k1Tgyslf4QzfgzV2FnM7B5DRhcD8UhXvMZk\
            kWnaKYtrJMP5Jn6Af2LKNQzxgIrxH1xbbbaAeomfGHgPOwMfZmSHZH8tkoJ7Ajy0jdRv2PlWvmSV\
            UWaqTSqiJ9YyVMCP1yPUXMtE_ZBLXurHjz5jkU1h0LTBtS9JqSlHS51UV2Bs9r0aY28-oZ4wdN2T\
            lq0vyHhSoroIBF8ZYSCMavBYFjKVrWVYhFlqiDcNkOrUSpjOarZ2ehxRf36xis9vHTXJ0S67fzy_\
            gYLv2DEe5v87NtBmpJssral0-Wa2P4x4ulGAOCszmfxb0IXjI1yNRhCv0rCnPw9oLX-4loW6Hfik\
            Bk3Te4xkpvP-XDsoZKOy1-rMjPtecBw3Azs14MRp8sLaX1KgU4BpWWVZB5yUdgvaS4jwgMyDoeE
            """,
        p: """
            3GisYLaqKDUVLrueBZdDKE6camkQletLuG5dCCdQSv1UxC4AMylzrQbwM9qxYHXNJfUffdryEkgu\
            oovUhJjlaEdoUkeO9pXbbjtO35UnFT6IxbMe5kbvItbsmHkiNLMsVMfqq7gbzAeC9YTgeyS7nsoO\
            OpCTLj0FmGSP2vF6LKtth0E2PuEnRCY2PBQErz_RcXufOp4o8eg-6jAIlANhEKpPFKA8NfBgdriX\
            v5S4eYxqr5d7g6opTJ_J8QDK1yIgOsEAvSLg8ZI8tsSL5yGGVgGZCr63u0H-YzKGOou9G-5q9Gv-\
            -Uk0d7RjBVZyB7kkKrob_m2u6ZjMcAHQohPQ0w
            """,
        q: """
            12YZQQ9jwGjkyT8orVORY_ERNJe_eaw8XSTKbNEBJKnZ7nlhEB1cPNcblYdAOCLJTwUdwcSHxPat\
            p2W0Bs0KJQKC3eedZAIOrbv0JPRzqZV7OAijooKA1-IgbAhDdEoB__8IDPYxXKTKYYKxpC7sLkz1\
            _E4S_YTLqjgRzNWkF27tAHr8dhTyXROarPXnKCHAV3LbzF8z8A42B-gaS0SbvNq_m59jFoqXE3Q5\
            vnzkW5WegsxvDuIC8Cgyxw9DgJvV22R5huwv0ASNhT61AuiGHCCpdDGRE6DA0okmCsNiz3BqNYZJ\
            QDYM6CtNTplX9on2jnOY2MaUOh6OXLNuELlCzw
            """,
        dp: """
            TZ7vVf_-XLqVAyg_tmhW1lMY8sCdfq6mtATp7n0p4b7lo1Ev8NSgUEcpQJm77eSOotd4h7IbniSd\
            h9EGvsu5vsenDZL13hFYfbGVTVgRs4GaWUWDlEVW4kYefHPsf_K5ogHluyPTZj8e96gcBkIhcQJn\
            kGhp7NbAqbKAlvKDvEeDAycMG4jfczih0Pabz7wB3p1SrioU8VyBC6hu3PFztZLE1ta3XaeR0T2g\
            829EqEmzKLOIZA4BDWMYky9cP_dcslRWFkW6Qljl2NfPDU7ZKGDXrNkNi3zqQbUBYIzlxHhqYjnG\
            SbRmLeHxHWgcMGwbOJDiWu_1sX6GQMvi1bF00Q
            """,
        dq: """
            qDZHipNmJyDDapY0Qgd9Bzt_YD8RfQeQrHzKyGgAKI2sb5vCvT7whWLHW-KfuDcSVu976ZJ9JMgv\
            nQbDrHv7bCOl5321YCBrLioV47YzjT_7VisI_yRDUlR5VWSuqOYS4cRcmSK6MctPcQ8Lg1hRgWcA\
            wuSF2A4YrvnSjNBasSIjW7iv59c73owswt3Wg3S4LJK6K8Q9Xz752vrbbeRKaxW5hOLYEwZwLPUb\
            EzOdchhKDYNxR4IhIUODRAkbghgwzoCMl11jiWPE0UXDPl4wPU8UhnUfAuELNF9-ofEr_SuhBeO0\
            2LxdIAKRAMyn8RSUw3Jq7v9FSo4KR0Kotc636Q
            """,
        qi: """
            XF5FZmji97_-lN9GcKMAIiZYMlPTcN817OwYIhvDtcg0J1SEIpC2dLCjD7EoGEqvtNZO7wyAxAsd\
            8ttwtR1yxDbL5AQ3rhGw8JCz4bYeD9_AcLiKQzh9lGlt4UD9oHvrwy3ma0apBNn2AjY31cEp_teJ\
            CS3tsyFsEnPDlmuzCr87eYEZI83FFY2YshPY3xaJspMS_yXYe6Ekwm-7raox4Ws7pD-_h_NwF1r4\
            RRvDhW8Qntv77BPDnWKwNQGBO4SaL8qFAUa4sMqVSSMGxVnmT98cVPuiZb8LI8WXa6CCa9fPrkgo\
            yDINlaRh_apzI3dHxI4QRQNr1-uiYNgsnSGiyQ
            """)
}
