"""django-oauth-toolkit as provider of the relying party of Examples/Login: what passes, and what
each side rejects.

usage: toolkit.py RELYING-PARTY KEYS
"""

import signal
import sys

import django_provider
from django.urls import include, path


def configure(site, world):
    site.configure(
        ["oauth2_provider"], middleware=["django_site.SignedIn"], LOGIN_URL="/login",
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True, "OIDC_ISS_ENDPOINT": world.issuer, "PKCE_REQUIRED": True,
            "OIDC_RSA_PRIVATE_KEY": world.key.export_to_pem(True, None).decode(),
            "OAUTH2_VALIDATOR_CLASS": "toolkit_claims.Validator",
            "SCOPES": {"openid": "", "profile": "", "email": "", "phone": ""}})
    from oauth2_provider.models import get_application_model
    for name, algorithm in ((django_provider.CLIENT, "RS256"), ("by-secret", "HS256")):
        get_application_model().objects.create(
            name=name, client_id=name, client_secret=world.secret, hash_client_secret=False,
            client_type="confidential",
            authorization_grant_type="authorization-code", redirect_uris=world.site + "/callback",
            skip_authorization=True, algorithm=algorithm)
    return [path("o/",
        include("oauth2_provider.urls", namespace="oauth2_provider"))], "/o/token/", "/o/userinfo/"


WAYS = [
    ([], "ours", True), (["--client-authentication", "client_secret_post"], "ours", True),
    (["--algorithm", "HS256"], "by-secret", True), (["--basic", "unencoded"], "ours", False),
    ([], "by-secret", False), (["--algorithm", "HS256"], "ours", False), ([], "unknown", False),
    (["--user-info", "signed"], "ours", False), (["--algorithm", "ES256"], "ours", False),
    (["--client-authentication", "private_key_jwt"], "ours", False),
]

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(django_provider.main("django-oauth-toolkit", configure, "/o", WAYS, *sys.argv[1:]))
