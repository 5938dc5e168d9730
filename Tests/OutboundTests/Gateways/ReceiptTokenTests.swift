import Testing

@testable import Outbound
@testable import Engine
@testable import Possession

/// Tokens and signatures of MessageBird and Vonage. The tokens were made by PyJWT 2.15, `sig` by Vonage's library for
/// Python 3.18.
@Suite struct ReceiptTokenTests {
    private static let key = "0123456789abcdef0123456789abcdef"
    private static let now: Int64 = 1767225600
    private static let url = "https://h.example/receipts/main/abc?id=m1&status=delivered&statusErrorCode=0"

    private static func isGenuine(
        _ scheme: ReceiptScheme, _ headers: [String: String], url: String = url, body: String = "", key: String = key,
        at seconds: Int64 = now
    ) -> Bool {
        let query = url.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
        let call = ReceiptCall(
            method: body.isEmpty ? "GET" : "POST", url: url, query: Array(query.utf8), body: Array(body.utf8),
            header: { headers[$0] })
        return scheme.isGenuine(call, key: key, GatewayFixture.crypto, at: Timestamp(seconds: seconds))
    }

    // MARK: MessageBird

    private static let birdToken =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ.PjS5kovEmqM3BKJrM9yBJuXvoYaE0xId9oVtMLwkW4w"
    private static let birdTokenWithBody =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkiLCJwYXlsb2FkX2hhc2giOiJjMjJmZWE1ZDc0MjhlNWNmNDdlZjYzNTRjOTdjOTIyM2M5NWQ2ZGNkYzNlMGQyMzAwZmY3OTA1NmIxZmYzZDg1In0.z8BaAuiwFe3iM-l1ZZAvfEibicofHdE84oKitjy6g2A"

    private static func isOfBird(
        _ token: String, url: String = url, body: String = "", key: String = key, at seconds: Int64 = now
    ) -> Bool {
        isGenuine(.messageBird, ["messagebird-signature-jwt": token], url: url, body: body, key: key, at: seconds)
    }

    @Test func `MessageBird signs URL and body`() {
        #expect(Self.isOfBird(Self.birdToken))
        #expect(!Self.isOfBird(Self.birdToken, url: Self.url + "&x=1"))
        #expect(!Self.isOfBird(Self.birdToken, url: Self.url.replacing("delivered", with: "expired")))
        #expect(!Self.isOfBird(Self.birdToken, body: "a=1"))
        #expect(!Self.isOfBird(Self.birdToken, key: "other"))
        #expect(Self.isOfBird(Self.birdTokenWithBody, body: "a=1"))
        #expect(!Self.isOfBird(Self.birdTokenWithBody, body: "a=2"))
        #expect(!Self.isOfBird(Self.birdTokenWithBody))
        #expect(!Self.isGenuine(.messageBird, [:]))
        #expect(!Self.isGenuine(.messageBird, ["authorization": "Bearer " + Self.birdToken]))
    }

    @Test func `MessageBird may have signed the URL with its port`() {
        let withPort = Self.url.replacing("h.example/", with: "h.example:443/")
        #expect(Self.isOfBird(Self.birdToken, url: withPort))
        #expect(!Self.isOfBird(Self.birdToken, url: Self.url.replacing("h.example/", with: "g.example/")))
    }

    /// From 30 seconds before its beginning to 30 after its end, a minute later.
    @Test(arguments: [(-31, false), (-30, true), (0, true), (89, true), (90, false), (301, false)] as [(Int64, Bool)])
    func `MessageBird's token holds for a minute`(seconds: Int64, isGood: Bool) {
        #expect(Self.isOfBird(Self.birdToken, at: Self.now + seconds) == isGood)
    }

    @Test func `a token of MessageBird that lasts a year holds for five minutes`() {
        let token =
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzk4NzYxNjAwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ.tQd82eCHidbCtGaEHff4OMgD0EBX-ppuU3qSNU4ERAc"
        #expect(Self.isOfBird(token, at: Self.now + 300))
        #expect(!Self.isOfBird(token, at: Self.now + 301))
    }

    @Test(arguments: [
        (
            "no algorithm",
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ."
        ),
        (
            "another key",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ.BNt8Go93pK4B_8S9qyksZkXpFMPMZKcgCWLYM51SJdU"
        ),
        (
            "an extension that must be understood",
            "eyJhbGciOiJIUzI1NiIsImNyaXQiOlsieCJdLCJ0eXAiOiJKV1QiLCJ4IjoxfQ.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ.G_kjLKw-Zy2wJAE7k1rouaZHV4TvhURhcSG25egsXuA"
        ),
        (
            "another issuer",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJPdGhlciIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ.sqFfcfNB6ukT07js2IleoFwhmT9h63xQ72Ela5RjH84"
        ),
        (
            "no id",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkifQ.WrNtqzX-92MURLfI63grwT87i6dQ8JJ6rYIRbtM-B5U"
        ),
        (
            "no end",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwianRpIjoiai0xIiwidXJsX2hhc2giOiIxNDA1ZjFhOGU0NTdkZjRmMmNiZTBkZGJhMGI0ODE1ZjBmNjhhZDcxOTk2Y2FlYTQ4ZjJlZjk1YmQ3ZjAwZmE5In0.MksaaHPfi0JWpfSuAjJLCpKpE3k9svnJPvGOAlaA_YA"
        ),
        (
            "no beginning",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsImV4cCI6MTc2NzIyNTY2MCwianRpIjoiai0xIiwidXJsX2hhc2giOiIxNDA1ZjFhOGU0NTdkZjRmMmNiZTBkZGJhMGI0ODE1ZjBmNjhhZDcxOTk2Y2FlYTQ4ZjJlZjk1YmQ3ZjAwZmE5In0.vU1-o6gnkwe2tZuIX5cLlOa4YiHcTd_MKT5udab8Myc"
        ),
        (
            "an end in fractions",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLjUsImp0aSI6ImotMSIsInVybF9oYXNoIjoiMTQwNWYxYThlNDU3ZGY0ZjJjYmUwZGRiYTBiNDgxNWYwZjY4YWQ3MTk5NmNhZWE0OGYyZWY5NWJkN2YwMGZhOSJ9.NfUYKXxhru5G5l6fw6TD3Oo-6_UdvdX3VLa8su_epGs"
        ),
        (
            "another URL",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjI4YmI0MzhkNmUzMTRhYjFjZTRjY2JlNGQzMWNiOTZjYjc2YmEyYzQyYWQ1YzJlYzU5Y2FiMWIzODc5MTkyNGMifQ.z9tHxWUN6feTazRONe33eUcUd43mbiyiD9i7g3zyF6k"
        ),
        (
            "no URL",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEifQ.FggwrF1BkKdlFila6_7j_635TG_8xtdNX0cS7jxMdzg"
        ),
        (
            "a body that is not there",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTc2NzIyNTYwMCwiZXhwIjoxNzY3MjI1NjYwLCJqdGkiOiJqLTEiLCJ1cmxfaGFzaCI6IjE0MDVmMWE4ZTQ1N2RmNGYyY2JlMGRkYmEwYjQ4MTVmMGY2OGFkNzE5OTZjYWVhNDhmMmVmOTViZDdmMDBmYTkiLCJwYXlsb2FkX2hhc2giOiIyZDcxMTY0MmI3MjZiMDQ0MDE2MjdjYTlmYmFjMzJmNWM4NTMwZmIxOTAzY2M0ZGIwMjI1ODcxNzkyMWE0ODgxIn0.-aqZ9mguuLKtpv2K-UXPi3XYWHHZ9Bb9EGx04H9TILc"
        ),
    ])
    func `refuses a token of MessageBird with`(defect: String, token: String) {
        #expect(!Self.isOfBird(token), "\(defect)")
    }

    /// tests/Unit/Data/webhooksignature.json of the vendor's library for PHP
    /// (https://github.com/messagebird/php-rest-api, read 2026-11-27).
    @Test(arguments: [
        (
            "no URL parameters or payload", "https://example.com/", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.6Fp0rVOsRr1fj9S2GidXAfkmPVofKr8_RTffC6G6r2E",
            true
        ),
        (
            "URL parameters and no payload", "https://example.com/path?bar=1&foo=2", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiJjOTQ2YWY3Ny1lMTgyLTRlYWEtYjJmZi0xYTU0NWI1ZTk5MWEiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAifQ.huo2ou6JDoDc7sV25d75UMWeYhBeavQlLsqIibSZuac",
            true
        ),
        (
            "URL parameters and payload", "https://example.com/path?bar=1&foo=2", "Hello, World!",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI5M2U1NTAwNi1hMGU4LTQ1MjYtYTE5MC1mYTVmZjAwZWExMTYiLCJ1cmxfaGFzaCI6IjQxZjA1ZjBkZGQwYTIyYWIyMDlhYzQ2ZjQ3YzQ1NzJkOWNlZmEyNTdlZDc0YjI0MDA0YmFlNzUzZWNlNmMyNjAiLCJwYXlsb2FkX2hhc2giOiJkZmZkNjAyMWJiMmJkNWIwYWY2NzYyOTA4MDllYzNhNTMxOTFkZDgxYzdmNzBhNGIyODY4OGEzNjIxODI5ODZmIn0._H--TOuYFLpeEH39-rg5E3IHVkjHozBcaKVWPRC5m9I",
            true
        ),
        (
            "port number in URL", "https://example.com:8080/", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjA3Zjc4NjFhNjliMTNjMjI5YzZhZTU5NmQxOThiMjc2M2IwNTRjZjVlMDAwZDczNmQxYzQ4MTAyZDc3MGNmZmMifQ.vcpa0IicGAbpo064dOjiA2VbVOR2S5uZBEaBOP16sS8",
            true
        ),
        (
            "special characters in URL",
            "https://example.com/?obj%5Bfield1%5D=val1&obj%5Bfield2%5D=val2&param=value+with+spaces", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjhhZmYzNzQ4ZDc4OWM0MzMzNTczZTFjMzFmZTViMDA0OTQwY2I1ZmM0NzQ2MGVkM2QwZTY1NGY3ZmM0ZTVmYWUifQ.mJBCMfEjKmN3IMuzqPXPHktWETrcu0iNdF3agE8PDyI",
            true
        ),
        (
            "HS384", "https://example.com/", "",
            "eyJhbGciOiJIUzM4NCIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.KNMW-29X77lZeuPmThmHWc_RUAvTkaDkpxIZK6mqE08v8mWKiU9Edh4QXwAJO2nv",
            true
        ),
        (
            "HS512", "https://example.com/", "",
            "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.rd6r0iMyNGnVPCwurETphE3Y8rpAyvvnUK0S8WvGUkt2E1QSRAZ7NZJZBHw1Y_Wb5W-sK9HJr_PRL2vz4jRT3Q",
            true
        ),
        (
            "received before it was issued", "https://example.com/", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ4MjgwMCwiZXhwIjoxNjI1NDgyODYwLCJqdGkiOiJmOWY4YzM4Mi0yNDQ5LTQzMTEtYjcyYi0xZGY3MTY4NzkzMWUiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.ZELgDFNGhjZH9CffQKcq3sytBe2I0KciLxpBhcfstHQ",
            false
        ),
        (
            "received after it was expired", "https://example.com/", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3NTYwMCwiZXhwIjoxNjI1NDc1NjYwLCJqdGkiOiI1ZjAyZjUyMi02MDMwLTQ2YzgtYjVhMy0wMTI0NjQ3OGQ4YmMiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.45MSST3B_2PsjNUeiuW54_vUQgVw4rBXrdWrOUEz3lM",
            false
        ),
        (
            "parameters sorted out of order", "https://example.com/path?foo=1&bar=2", "",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiJhNzVjOTA5Ni1lODIzLTQ0MmItODVmMi03ZDNjOWQ5YjcyNmIiLCJ1cmxfaGFzaCI6IjZhMDIyZDgzNGMxODMzMGJhYWQ4YTJiZDYxMzUxNzNlZDIxNjEwYTQ1NDUxNmJlMGRmM2YxY2MwMTUxNjEwZWEifQ.z6Sw1XQIM0wuEQGBhXBdawDIIrtMg2XnmA_bpDq53pE",
            false
        ),
        (
            "payload does not match", "https://example.com/", "Hello, World!",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiIxNDUwMTUzMi05NmYyLTQ2ODQtOTgzMi02OGYwOTUxYWUzNDIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDciLCJwYXlsb2FkX2hhc2giOiJmYjYyZjAyYWNkYTdkNzQxNzdhNzAxYTFjZTAwNmU2YmFjZDkwYzdkNGQ3YWI0ODE2OTJjMWRhNDdjODEwNzZiIn0.m79RCwO6dGa9pvzsQypkVuXQ6eM0CkRl6_U7MfWg6TM",
            false
        ),
        (
            "payload was added in transit", "https://example.com/", "Hello, World!",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJNZXNzYWdlQmlyZCIsIm5iZiI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.6Fp0rVOsRr1fj9S2GidXAfkmPVofKr8_RTffC6G6r2E",
            false
        ),
        (
            "no algorithm", "https://example.com/", "",
            "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.eyJpc3MiOiJNZXNzYWdlQmlyZCIsImlhdCI6MTYyNTQ3OTIwMCwiZXhwIjoxNjI1NDc5MjYwLCJqdGkiOiI1OWEyNDRkYy1lOWFkLTRlMjMtOTc3OC0zNzFmYWEyMzhmNzIiLCJ1cmxfaGFzaCI6IjBmMTE1ZGIwNjJiN2MwZGQwMzBiMTY4NzhjOTlkZWE1YzM1NGI0OWRjMzdiMzhlYjg4NDYxNzljNzc4M2U5ZDcifQ.",
            false
        ),
    ])
    func `takes and refuses what MessageBird's own library does`(
        name: String, url: String, body: String, token: String, isGood: Bool
    ) {
        let key = "36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb"
        #expect(Self.isOfBird(token, url: url, body: body, key: key, at: 1_625_479_200) == isGood, "\(name)")
    }

    // MARK: Vonage

    private static let vonageToken =
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsInBheWxvYWRfaGFzaCI6ImQwYmJkZjc4ZmEyMTM5MDRjZmY5ZjliYTBhOTM1MTNiMzZjNGY1ZjA2OWFlMjBjZTVlYzlmNWVjYWJiMjAyYTEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIn0.yQ8LhTnjb-K4h85ucX2ltU3BnQNTHBxtQLY4hUUzuD4"
    private static let vonageBody = #"{"message_uuid":"u1","status":"delivered"}"#

    private static func isOfVonage(
        _ token: String, body: String = vonageBody, key: String = key, at seconds: Int64 = now, word: String = "Bearer "
    ) -> Bool {
        isGenuine(.vonageToken, ["authorization": word + token], body: body, key: key, at: seconds)
    }

    @Test func `Vonage's token signs the body`() {
        #expect(Self.isOfVonage(Self.vonageToken))
        #expect(Self.isOfVonage(Self.vonageToken, word: "bearer "))
        #expect(!Self.isOfVonage(Self.vonageToken, word: "Basic "))
        #expect(!Self.isOfVonage(Self.vonageToken, word: ""))
        #expect(!Self.isOfVonage(Self.vonageToken, body: Self.vonageBody + " "))
        #expect(!Self.isOfVonage(Self.vonageToken, body: ""))
        #expect(!Self.isOfVonage(Self.vonageToken, key: "other"))
        #expect(!Self.isGenuine(.vonageToken, [:], body: Self.vonageBody))
    }

    @Test(arguments: [(-301, false), (-300, true), (300, true), (301, false)] as [(Int64, Bool)])
    func `Vonage's token holds for five minutes`(seconds: Int64, isGood: Bool) {
        #expect(Self.isOfVonage(Self.vonageToken, at: Self.now + seconds) == isGood)
    }

    @Test(arguments: [
        (
            "HS384",
            "eyJhbGciOiJIUzM4NCIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsInBheWxvYWRfaGFzaCI6ImQwYmJkZjc4ZmEyMTM5MDRjZmY5ZjliYTBhOTM1MTNiMzZjNGY1ZjA2OWFlMjBjZTVlYzlmNWVjYWJiMjAyYTEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIn0.FzU5wkOISQbANbmd9Rh4HCtuyg-1tIYec4_gXKYKMpy443FBQ6dcdoE3kTpvX57B"
        ),
        (
            "another key",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsInBheWxvYWRfaGFzaCI6ImQwYmJkZjc4ZmEyMTM5MDRjZmY5ZjliYTBhOTM1MTNiMzZjNGY1ZjA2OWFlMjBjZTVlYzlmNWVjYWJiMjAyYTEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIn0.6Nbt2pPthzM3SGZmzzSS9HB3ADp49sbUXkEEIepjRd8"
        ),
        (
            "another issuer",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6Ik1lc3NhZ2VCaXJkIiwicGF5bG9hZF9oYXNoIjoiZDBiYmRmNzhmYTIxMzkwNGNmZjlmOWJhMGE5MzUxM2IzNmM0ZjVmMDY5YWUyMGNlNWVjOWY1ZWNhYmIyMDJhMSIsImFwaV9rZXkiOiJrMSIsImFwcGxpY2F0aW9uX2lkIjoiYTEifQ.R7G9SUF-hP_gRQN4WE11Rm5KlewCAhi-rKlcVaLKqt0"
        ),
        (
            "no issuer",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsInBheWxvYWRfaGFzaCI6ImQwYmJkZjc4ZmEyMTM5MDRjZmY5ZjliYTBhOTM1MTNiMzZjNGY1ZjA2OWFlMjBjZTVlYzlmNWVjYWJiMjAyYTEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIn0.Cz7cEo8E-JrcNBT-H-QoI-1iGPOVHXXOBrR1TNLTWTA"
        ),
        (
            "no time",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJqdGkiOiJqLTIiLCJpc3MiOiJWb25hZ2UiLCJwYXlsb2FkX2hhc2giOiJkMGJiZGY3OGZhMjEzOTA0Y2ZmOWY5YmEwYTkzNTEzYjM2YzRmNWYwNjlhZTIwY2U1ZWM5ZjVlY2FiYjIwMmExIiwiYXBpX2tleSI6ImsxIiwiYXBwbGljYXRpb25faWQiOiJhMSJ9.ukPd8z99UUqOf3GnItIfK6xF7k9wrq6dk_ACiY_OyJI"
        ),
        (
            "an end that has passed",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsInBheWxvYWRfaGFzaCI6ImQwYmJkZjc4ZmEyMTM5MDRjZmY5ZjliYTBhOTM1MTNiMzZjNGY1ZjA2OWFlMjBjZTVlYzlmNWVjYWJiMjAyYTEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIiwiZXhwIjoxNzY3MjI1NTY5fQ.aQXT3GCYqfynRQWoRAs1UXHcpyz2Mm8rcsD1_TBPYsg"
        ),
        (
            "a beginning to come",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsInBheWxvYWRfaGFzaCI6ImQwYmJkZjc4ZmEyMTM5MDRjZmY5ZjliYTBhOTM1MTNiMzZjNGY1ZjA2OWFlMjBjZTVlYzlmNWVjYWJiMjAyYTEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIiwibmJmIjoxNzY3MjI1NjMxfQ.IulA7eRSaIZeMaulkwK-g6Z5rLbiqmcba92WSiWTnw4"
        ),
        (
            "no body",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsImFwaV9rZXkiOiJrMSIsImFwcGxpY2F0aW9uX2lkIjoiYTEifQ.VjrVkCwmdnBuhRsFqDHeIYMIi7KpBEP9QVSGNxYRo70"
        ),
        (
            "another body",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpYXQiOjE3NjcyMjU2MDAsImp0aSI6ImotMiIsImlzcyI6IlZvbmFnZSIsInBheWxvYWRfaGFzaCI6IjQ0MTM2ZmEzNTViMzY3OGExMTQ2YWQxNmY3ZTg2NDllOTRmYjRmYzIxZmU3N2U4MzEwYzA2MGY2MWNhYWZmOGEiLCJhcGlfa2V5IjoiazEiLCJhcHBsaWNhdGlvbl9pZCI6ImExIn0.bxAmV4Vq74XUIkroARan8bmc5x0-B1rV9RUfhSQGszA"
        ),
    ])
    func `refuses a token of Vonage with`(defect: String, token: String) {
        #expect(!Self.isOfVonage(token), "\(defect)")
    }

    @Test(arguments: ["", ".", "..", "...", "a.b.c", "e30.e30.", "e30.e30.e30", "=.=.="])
    func `refuses what is no token`(text: String) {
        #expect(!Self.isOfBird(text))
        #expect(!Self.isOfVonage(text))
    }

    @Test func `refuses a token that was changed, byte by byte`() {
        for index in Self.vonageToken.indices.dropLast() {
            var token = Self.vonageToken
            token.replaceSubrange(index...index, with: token[index] == "A" ? "B" : "A")
            #expect(!Self.isOfVonage(token))
        }
        #expect(!Self.isOfVonage(Self.vonageToken + "."))
        #expect(!Self.isOfVonage(Self.vonageToken + "A"))
        #expect(!Self.isOfVonage(Self.vonageToken + "="))
    }

    /// Its values have marks of the form, which are replaced before they are signed.
    private static let fields =
        "msisdn=12065550123&to=Acme+%26+Co&network-code=310090&messageId=v1&price=0.03&status=delivered"
        + "&scts=2601010000&err-code=0&api-key=k&message-timestamp=2026-01-01+00%3A00%3A00&timestamp=1767225600&nonce=n%3D1"
    private static let strongSignatures = [
        "8242fa91b217f22ddbeab7a0e98cde2e50aa01507eef7d1e0ff21f53ed225038",
        "ea85a647065edb92989cd038c5e5fbd3cb9a6dbbd78812313fb666803dc7d7ed"
            + "a026a6f8353c3e3f519d0b4642edb5243e1d2a9b9c7ce8a730a2f6a7f7776f60",
    ]

    @Test(arguments: strongSignatures, ["GET", "POST"])
    func `Vonage's SMS API signs the fields`(code: String, method: String) {
        func isGood(_ fields: String, key: String = Self.key, at seconds: Int64 = Self.now) -> Bool {
            method == "GET"
                ? Self.isGenuine(.vonage, [:], url: "https://h.example/r/g/t?" + fields, key: key, at: seconds)
                : Self.isGenuine(.vonage, [:], url: "https://h.example/r/g/t", body: fields, key: key, at: seconds)
        }
        let signed = Self.fields + "&sig=" + code
        #expect(isGood(signed))
        #expect(isGood(Self.fields + "&sig=" + code.uppercased()))
        #expect(isGood("sig=" + code + "&" + Self.fields))
        #expect(!isGood(Self.fields))
        #expect(!isGood(signed.replacing("delivered", with: "expired")))
        #expect(!isGood(signed + "&x=1"))
        #expect(!isGood(signed + "&sig=" + code))
        #expect(!isGood(signed.replacing("&timestamp=1767225600", with: "")))
        #expect(!isGood(signed, key: "other"))
        #expect(isGood(signed, at: Self.now + 300))
        #expect(!isGood(signed, at: Self.now + 301))
        // Two fields folded into the name of one.
        #expect(
            !isGood(
                signed.replacing("&err-code=0&", with: "&").replacing("api-key=k", with: "api-key%3Dk%26err-code=0")))
    }

    @Test func `Vonage's fields are signed wherever they stand`() {
        let signed = Self.fields + "&sig=" + Self.strongSignatures[0]
        #expect(!Self.isGenuine(.vonage, [:], url: "https://h.example/r/g/t?status=failed", body: signed))
        #expect(!Self.isGenuine(.vonage, [:], url: "https://h.example/r/g/t?" + signed, body: "status=failed"))
    }

    /// The same fields and key, by the weak ones of Vonage's five methods.
    @Test(arguments: [
        "48a697e457d56239a4337b3d2f9c5c07b0cb389a", "87581db49e872d6ea05dd9c116fccc59",
        "b0de3aaa2dad87ed11d3f795b5cafe56",
    ])
    func `refuses a signature of Vonage by MD5 or SHA-1`(code: String) {
        #expect(!Self.isGenuine(.vonage, [:], body: Self.fields + "&sig=" + code, at: Self.now))
    }
}
