"""The claims of django-oauth-toolkit about its user. It imports this after its settings."""

from django_provider import userinfo
from oauth2_provider.oauth2_validators import OAuth2Validator


class Validator(OAuth2Validator):
    def get_additional_claims(self, request):
        return userinfo({"phone_number": None, "birthdate": ""}, request.user)
