"""The login of Examples/Login in a real browser: every page is read and stored as a picture, and
invalid requests are rejected.

usage: login.py PROFILE SITE PICTURES KEY,KEY [--short-tokens]
"""

import asyncio
import os
import sys

from browser import Browser

NAME = "Zoë van den Berg"

# The texts of the consent page for each profile's request, and of the response.
REQUESTS = {
    "itsme0": ("as plain parameters", "by redirect"),
    "itsme1": ("signed by the client", "by redirect"),
    "itsme2": ("signed by the client", "by redirect"),
    "signicat": ("as plain parameters", "by form_post"),
    "nets": ("signed by the client", "by form_post"),
    "openid": ("as plain parameters", "by form_post"),
    "nested": ("signed by the client", "by form_post"),
    "fapi2": ("as plain parameters", "by form_post"),
    "fapi2-message-signing": ("signed by the client", "by redirect"),
}


class Login:
    def __init__(self, browser, profile, site, pictures):
        self.browser, self.profile, self.site, self.pictures = browser, profile, site, pictures
        self.count = 0
        # FAPI 2.0 tokens are bound to a key, and give access to a resource server.
        self.is_bound = profile.startswith("fapi2")
        self.unknown = f'{"DPoP" if self.is_bound else "Bearer"} error="invalid_token"'

    async def page(self, title, *expected, name):
        """Waits for the page, stores its picture under this name, and expects these texts in it."""
        text = await self.browser.page(title)
        self.count += 1
        await self.browser.picture(os.path.join(self.pictures,
            f"{self.profile}-{self.count:02}-{name}.png"))
        for part in expected:
            assert part in text, f"{part!r} is not on the page {title!r}:\n{text}"
        return text

    async def start(self):
        await self.browser.open(self.site + "/")
        await self.page("Welcome", "Nobody is signed in.", name="start")
        await self.browser.click("Sign in")
        signed, answered = REQUESTS[self.profile]
        await self.page("Do you sign in?", NAME, "login-client", "openid", signed, answered,
            name="consent")

    async def consent(self):
        # Where scripts do not run, the form of form_post waits for a click.
        waits = self.profile == "nets"
        if waits:
            await self.browser.send("Emulation.setScriptExecutionDisabled", value=True)
        await self.browser.click("Yes")
        if waits:
            await self.page("Continue", name="form-post")
            await self.browser.click("Continue")
        text = await self.page(
            f"Welcome, {NAME}", "The ID Token says:", "https://idp.localhost", "UserInfo says:",
            "29.2.1984",
            *(["/accounts says:", "BE71 0961 2345 6769"] if self.is_bound else []), name="result")
        assert await self.browser.address() == self.site + "/", "the answer stands in the address"
        await self.browser.send("Emulation.setScriptExecutionDisabled", value=False)
        return text

    async def forged(self, address, title, name, fields={}):
        """Another site's form for this URL, as a user may be tricked into posting it."""
        inputs = "".join(f"<input name={key} value={value}>" for key, value in fields.items())
        form = (f"<title>Forged</title><form method=post action={address}>{inputs}"
                "<button>Win</button></form>")
        await self.browser.open("data:text/html," + form.replace(" ", "%20"))
        await self.browser.page("Forged")
        await self.browser.click("Win")
        await self.page(title, name=name)

    async def again(self, *expected):
        """Requests UserInfo with the token of the login."""
        await self.browser.click("Ask for UserInfo again")
        text = await self.page("UserInfo again", *expected, name="userinfo-again")
        await self.browser.click("Back")
        await self.browser.page(f"Welcome, {NAME}")
        return text


async def whole(login):
    """Denied, then approved. A reused code revokes its tokens. Requests of other sites change
    nothing."""
    browser = login.browser
    await login.start()
    ticket = await browser.value("document.querySelector('[name=ticket]').value")
    consent = "/".join((await browser.address()).split("/")[:3]) + "/consent"
    await login.forged(
        consent, "This form is from another site", name="forged-consent",
        fields={"ticket": ticket, "answer": "yes"})
    await login.start()
    await browser.click("No")
    await login.page("You are not signed in", "The sign-in was cancelled.", name="denied")
    await login.start()
    await login.consent()
    await login.again("status\t200")
    await browser.click("Send the same code again")
    await login.page("The same code again", "status\t400", "invalid_grant", "no-store",
        name="code-again")
    await browser.click("Back")
    await browser.page(f"Welcome, {NAME}")
    await login.again("status\t401", login.unknown)
    await login.forged(login.site + "/logout", "This form is from another site",
        name="forged-logout")
    await browser.open(login.site + "/")
    await browser.page(f"Welcome, {NAME}")
    await browser.click("Sign out")
    await login.page("Welcome", "Nobody is signed in.", name="start")
    # A response in a browser that made no request.
    await browser.open(login.site + "/callback?code=c&state=s")
    await login.page("This login was not started here", name="stranger")


async def short(login):
    """An access token is valid until it expires."""
    await login.start()
    await login.consent()
    for _ in range(100):
        await login.browser.click("Ask for UserInfo again")
        if "status\t401" in await login.browser.page("UserInfo again"):
            break
        await login.browser.click("Back")
        await login.browser.page(f"Welcome, {NAME}")
    await login.page("UserInfo again", "status\t401", login.unknown, name="token-ended")


async def main(profile, site, pictures, keys, *options):
    os.makedirs(pictures, exist_ok=True)
    async with Browser(keys.split(",")) as browser:
        login = Login(browser, profile, site, pictures)
        try:
            await (short if "--short-tokens" in options else whole)(login)
        except AssertionError:
            await browser.picture(os.path.join(pictures, f"{profile}-failed.png"))
            raise
        print(f"{profile}: {login.count} pages")


asyncio.run(main(*sys.argv[1:]))
