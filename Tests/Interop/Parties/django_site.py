"""A Django project in this process, over HTTPS on a port of this machine: shared by the Django
programs."""

import logging
import os
import socketserver
import ssl
import sys
import threading
import traceback
import types
import wsgiref.simple_server

import django
from django.conf import settings


class _Kept(logging.Handler):
    """Collects the log of Django and its packages, with the exceptions that ended a request."""

    def __init__(self):
        super().__init__(logging.INFO)
        self.lines = []

    def emit(self, record):
        self.lines.append(record.getMessage())
        if record.exc_info:
            self.lines.append("".join(traceback.format_exception(*record.exc_info)))


class _Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class _Quiet(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, *_):
        pass


class Site:
    """Set up by `configure`, then started by `serve`."""

    def __init__(self, folder, keys, host, port):
        self.folder, self.keys, self.host, self.port = folder, keys, host, port
        self.url = f"https://{host}:{port}"
        self.kept = _Kept()

    def configure(self, apps, middleware=(), **words):
        """Settings, and a database with every table."""
        sys.modules["party_urls"] = types.ModuleType("party_urls")
        sys.modules["party_urls"].urlpatterns = []
        settings.configure(
            SECRET_KEY="of this test alone", ALLOWED_HOSTS=[".localhost"],
            ROOT_URLCONF="party_urls", USE_TZ=True,
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3",
                                   "NAME": os.path.join(self.folder, "site.db"),
                                   "OPTIONS": {"timeout": 30}}},
            INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes",
                "django.contrib.sessions", *apps],
            MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                        "django.contrib.auth.middleware.AuthenticationMiddleware", *middleware],
            TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates",
                "APP_DIRS": True}],
            SESSION_COOKIE_SECURE=True, CSRF_COOKIE_SECURE=True,
            DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", LOGGING_CONFIG=None, **words)
        logging.getLogger().addHandler(self.kept)
        logging.getLogger().setLevel(logging.INFO)
        django.setup()
        from django.core.management import call_command
        call_command("migrate", verbosity=0)

    def serve(self, patterns):
        from django.core.wsgi import get_wsgi_application
        sys.modules["party_urls"].urlpatterns += patterns
        self.server = wsgiref.simple_server.make_server(
            "127.0.0.1", self.port, get_wsgi_application(), server_class=_Server,
            handler_class=_Quiet)
        self.server.base_environ["HTTPS"] = "on"
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(f"{self.keys}/{self.host}.tls.pem", f"{self.keys}/{self.host}.tls.key")
        self.server.socket = tls.wrap_socket(self.server.socket, server_side=True,
            do_handshake_on_connect=False)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def said(self, since=0):
        return "\n".join(self.kept.lines[since:])

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def who(request):
    """The page of a relying party that shows who is signed in."""
    from django.http import HttpResponse
    user = request.user
    return HttpResponse(f"signed in: {user.email}" if user.is_authenticated
        else "nobody is signed in", content_type="text/plain")


class SignedIn:
    """Middleware of a provider: its one user is signed in in every browser."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        from django.contrib.auth import get_user_model
        request.user = get_user_model().objects.get(username="zoe")
        return self.get_response(request)


def make_user():
    from django.contrib.auth import get_user_model
    from django.utils import timezone
    return get_user_model().objects.create(
        username="zoe", first_name="Zoë", last_name="van den Berg", email="",
        last_login=timezone.now())
