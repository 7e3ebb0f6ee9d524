"""Apache with mod_auth_openidc: a relying party on its own port for each client."""

import dataclasses
import json
import os
import shutil
import subprocess
import tempfile
import time

MODULES = "/usr/lib/apache2/modules"


@dataclasses.dataclass
class Client:
    """A relying party: its name at the provider, its port, and its settings in addition to the
    common ones."""
    name: str
    port: int
    settings: list
    # Additional members of its registration at the provider.
    registered: dict

    @property
    def site(self):
        return f"https://rp.localhost:{self.port}"

    @property
    def page(self):
        return self.site + "/secure/page.txt"

    @property
    def redirect_uri(self):
        return self.site + "/secure/callback"

    def metadata(self):
        """The client's registration at the provider."""
        members = {
            "client_id": self.name, "redirect_uris": [self.redirect_uri],
            "jwks_uri": self.redirect_uri + "?jwks=rsa", **self.registered}
        return {name: value for name, value in members.items() if value is not None}


def request_object(delivery, members, **crypto):
    """The value of OIDCRequestObject."""
    text = json.dumps({"copy_from_request": members, "crypto": crypto,
        "request_object_type": delivery})
    return 'OIDCRequestObject "%s"' % text.replace('"', '\\"')


class Apache:
    def __init__(self, issuer, clients, keys, private_key, public_key):
        """private_key and public_key: the paths of the PEM files of the clients' one key, whose kid
        is `apache`."""
        # Not below the keys, which only we may read: the server's children run as another user.
        self.folder = tempfile.TemporaryDirectory(prefix="apache-")
        root = self.folder.name
        os.chmod(root, 0o755)
        os.makedirs(f"{root}/site/secure")
        with open(f"{root}/site/secure/page.txt", "w", encoding="utf-8") as file:
            file.write("what only users may read\n")
        shutil.copyfile(f"{keys}/tls-root.pem", f"{root}/tls-root.pem")
        for path in ("site", "site/secure", "site/secure/page.txt", "tls-root.pem"):
            os.chmod(f"{root}/{path}", 0o755)
        self.log = f"{root}/error.log"
        lines = [
            f"ServerRoot {root}", f"DefaultRuntimeDir {root}", f"PidFile {root}/pid",
            f"ErrorLog {self.log}", "LogLevel warn",
            "ServerName rp.localhost", "User www-data", "Group www-data", "StartServers 1",
            "ServerLimit 1",
            "ThreadsPerChild 16", "MaxRequestWorkers 16", "MinSpareThreads 1", "MaxSpareThreads 16",
        ]
        for module in ("mpm_event", "authn_core", "authz_core", "authz_user", "ssl",
                "auth_openidc"):
            lines.append(f"LoadModule {module}_module {MODULES}/mod_{module}.so")
        for client in clients:
            lines += [
                f"Listen 127.0.0.1:{client.port}", f"<VirtualHost 127.0.0.1:{client.port}>",
                "ServerName rp.localhost", "SSLEngine on", f"DocumentRoot {root}/site",
                f"SSLCertificateFile {keys}/rp.localhost.tls.pem",
                f"SSLCertificateKeyFile {keys}/rp.localhost.tls.key",
                f"OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration",
                f"OIDCCABundlePath {root}/tls-root.pem", f"OIDCClientID {client.name}",
                f"OIDCRedirectURI {client.redirect_uri}", "OIDCCryptoPassphrase of-this-test-alone",
                'OIDCScope "openid profile email"',
                "OIDCInfoHook id_token userinfo access_token session",
                f"OIDCPrivateKeyFiles apache#{private_key}",
                f"OIDCPublicKeyFiles apache#{public_key}",
                *client.settings, "<Location /secure>", "AuthType openid-connect",
                "Require valid-user", "</Location>", "</VirtualHost>",
            ]
        with open(f"{root}/apache.conf", "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        # Apache opens this log late.
        with open(self.log, "w", encoding="utf-8"):
            pass
        self.process = subprocess.Popen(["/usr/sbin/apache2", "-f", f"{root}/apache.conf",
            "-DFOREGROUND"])

    def said(self, since=0):
        """The error log from this byte on."""
        with open(self.log, "rb") as file:
            file.seek(since)
            return file.read().decode(errors="replace")

    def size(self):
        return os.path.getsize(self.log)

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()


def wait_until(condition, what, seconds=20):
    """Waits for the action of another process."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what}: not within {seconds} seconds"
        time.sleep(0.02)
