"""social-auth-app-django as relying party of the provider of Examples/Login: what passes, and what
each side rejects.

usage: social.py PROVIDER KEYS METHOD
"""

import signal
import sys

import django_relying
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import include, path


def start(request):
    """A login starts only by a form."""
    return HttpResponse(
        '<form method="post" action="/login/oidc/">'
        f'<input name="csrfmiddlewaretoken" value="{get_token(request)}"></form>')


def configure(site, world):
    site.configure(
        ["social_django"],
        AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
        SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=world.issuer, SOCIAL_AUTH_OIDC_KEY=world.client["client_id"],
        SOCIAL_AUTH_OIDC_SECRET=world.client["client_secret"], SOCIAL_AUTH_OIDC_USE_PKCE=True,
        SOCIAL_AUTH_OIDC_TOKEN_ENDPOINT_AUTH_METHOD=world.client["token_endpoint_auth_method"],
        SOCIAL_AUTH_OIDC_ACR_VALUES="gold", SOCIAL_AUTH_REDIRECT_IS_HTTPS=True,
        LOGIN_REDIRECT_URL="/")
    return [path("start", start), path("", include("social_django.urls", namespace="social"))]


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(django_relying.main("social-auth", configure, "/start", "/complete/oidc/", (),
        *sys.argv[1:]))
