"""django-oidc-provider as provider of the relying party of Examples/Login: what passes, and what
each side rejects.

usage: oidc_provider_party.py RELYING-PARTY KEYS
"""

import signal
import sys

import django_provider
from django.urls import include, path


def configure(site, world):
    site.configure(
        ["oidc_provider"], middleware=["django_site.SignedIn"], SITE_URL=world.origin,
        LOGIN_URL="/login", OIDC_USERINFO="django_provider.userinfo")
    from oidc_provider.models import Client, ResponseType, RSAKey
    RSAKey.objects.create(key=world.key.export_to_pem(True, None).decode())
    code, _ = ResponseType.objects.get_or_create(value="code")
    for name, algorithm in ((django_provider.CLIENT, "RS256"), ("by-secret", "HS256")):
        client = Client.objects.create(
            name=name, client_id=name, client_secret=world.secret, jwt_alg=algorithm,
            require_consent=False)
        client.redirect_uris = [world.site + "/callback"]
        client.save()
        client.response_types.add(code)
    return [path("openid/",
        include("oidc_provider.urls",
            namespace="oidc_provider"))], "/openid/token", "/openid/userinfo"


# It does not form-decode HTTP Basic (as RFC 6749 2.3.1 requires).
PLAIN = ["--basic", "unencoded"]
WAYS = [
    (PLAIN, "ours", True), (["--client-authentication", "client_secret_post"], "ours", True),
    (["--algorithm", "HS256", *PLAIN], "by-secret", True), ([], "ours", False),
    (PLAIN, "by-secret", False),
    (["--algorithm", "HS256", *PLAIN], "ours", False), (PLAIN, "unknown", False),
    (["--user-info", "signed", *PLAIN], "ours", False),
    (["--algorithm", "ES256", *PLAIN], "ours", False),
(["--client-authentication", "private_key_jwt"], "ours", False), ]

if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(django_provider.main("django-oidc-provider", configure, "/openid", WAYS,
        *sys.argv[1:]))
