"""mozilla-django-oidc as relying party of the provider of Examples/Login: what passes, and what
each side rejects.

usage: mozilla.py PROVIDER KEYS
"""

import signal
import sys

import django_relying
from django.urls import include, path

# Of an ID Token it checks only signature, times and nonce.
IGNORED = {
    "iss of another provider", "another audience", "two audiences", "at_hash of another token",
"azp of another client", "no sub", }


def configure(site, world):
    site.configure(
        ["mozilla_django_oidc"],
        AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
        OIDC_RP_CLIENT_ID=world.client["client_id"],
        OIDC_RP_CLIENT_SECRET=world.client["client_secret"],
        OIDC_RP_SIGN_ALGO="RS256", OIDC_USE_PKCE=True, OIDC_RP_SCOPES="openid email profile",
        OIDC_TOKEN_USE_BASIC_AUTH=world.client["token_endpoint_auth_method"]
        == "client_secret_basic", OIDC_AUTH_REQUEST_EXTRA_PARAMS={"acr_values": "gold silver"},
        OIDC_OP_AUTHORIZATION_ENDPOINT=world.issuer + "/authorization",
        OIDC_OP_TOKEN_ENDPOINT=world.issuer + "/token",
        OIDC_OP_USER_ENDPOINT=world.issuer + "/userinfo",
        OIDC_OP_JWKS_ENDPOINT=world.issuer + "/jwks",
        LOGIN_REDIRECT_URL="/", LOGIN_REDIRECT_URL_FAILURE="/")
    return [path("oidc/", include("mozilla_django_oidc.urls"))]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(django_relying.main(
        "mozilla-django-oidc", configure, "/oidc/authenticate/", "/oidc/callback/", IGNORED,
        *sys.argv[1:]))
