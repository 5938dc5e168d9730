"""A phone beside the client: the network it follows Mobile Auth chains over, and the browser it opens links in."""
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit

from exchange import Caller

MAX_HOPS = 10
BROWSER = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"


class Arrival:
    """The end of a Mobile Auth chain: the addresses it went through, and what it gave."""

    def __init__(self, urls, answer, outcome):
        self.urls, self.answer, self.outcome = urls, answer, outcome

    @property
    def vfp(self):
        return self.outcome.get("vfp")

    def __repr__(self):
        return f"{self.answer} after {len(self.urls)} hops"


class Phone:
    """Follows redirects as a native client does: no cookie kept, no token sent, http on loopback alone.

    `address` is the one a trusted proxy tells of it; without one it is that of the test itself.
    """

    def __init__(self, address=None, browser=BROWSER):
        self.address, self.browser = address, browser

    def call(self, method, url, form=None, headers=None):
        """One call without following anything."""
        parts = urlsplit(url)
        assert parts.scheme == "https" or parts.hostname in ("127.0.0.1", "localhost"), f"cleartext: {url}"
        caller = Caller(f"{parts.scheme}://{parts.netloc}")
        headers = {"User-Agent": self.browser, **(headers or {})}
        if self.address:
            headers["X-Forwarded-For"] = self.address
        body = None
        if form is not None:
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
            body = form if isinstance(form, bytes) else urlencode(form).encode()
        try:
            return caller.call(method, parts.path + ("?" + parts.query if parts.query else ""), body, headers)
        finally:
            caller.close()

    # Mobile Auth

    def hops(self, url, until=None):
        """The addresses of a chain and its last answer; stops before an address that begins with `until`."""
        urls = [url]
        while len(urls) <= MAX_HOPS:
            answer = self.call("GET", urls[-1])
            unsafe = {"set-cookie", "access-control-allow-origin"} & set(answer.headers)
            assert not unsafe, f"a hop has {unsafe}"
            if answer.status not in (302, 303):
                return urls, answer
            urls.append(urljoin(urls[-1], answer.headers["location"]))
            if until and urls[-1].startswith(until):
                return urls, answer
        raise AssertionError(f"more than {MAX_HOPS} hops")

    def follow(self, auth_url, number=None, page=None):
        """The whole chain. `number` says whose phone this is; `page` is where a web page waits for the outcome."""
        if number is not None:
            auth_url += "&phoneNumber=" + quote(number, safe="")
        urls, answer = self.hops(auth_url, page)
        if answer.status in (302, 303):
            return Arrival(urls, answer, dict(parse_qsl(urlsplit(urls[-1]).fragment)))
        return Arrival(urls, answer, answer.json if answer.status == 200 else {})

    # Links

    def open(self, link):
        return self.call("GET", link)

    def decide(self, link, decision, **fields):
        return self.call("POST", link, {"decision": decision, **fields})

    def approve(self, link, **fields):
        return self.decide(link, "approve", **fields)

    def deny(self, link):
        return self.decide(link, "deny")


def target_of(answer):
    """Where a landing sends the browser: the address without its query, and the query."""
    location = answer.headers.get("location")
    assert answer.status == 303 and location, f"no redirect: {answer.status} {dict(answer.headers)}"
    parts = urlsplit(location)
    return location.split("?")[0], dict(parse_qsl(parts.query))
