import Outbound
import Testing

@Suite struct OperatorSettingsTests {
    private func defects(_ change: (inout OperatorSettings) -> Void) -> [String] {
        var settings = Fixture.settings()
        change(&settings)
        return settings.defects().map(\.description)
    }

    @Test func `has none to find in good settings`() {
        #expect(Fixture.settings().defects().isEmpty)
        #expect(
            defects {
                $0.authorizeURL = "http://127.0.0.1:8080/sandbox/operator/authorize?x=1"
                $0.tokenURL = "http://localhost/token"
                $0.apiURL = "http://[::1]:1/v2"
                $0.redirectURI = "https://[2001:db8::1]:65535/cb"
            }.isEmpty)
    }

    private static let form = "must begin with https://"
    private static let secure = "must begin with https://, except for loopback addresses"
    private static let host = "has no host, or a wrong port"

    @Test(arguments: [
        ("", "is missing"), ("operator.example/token", form), ("HTTPS://operator.example/", form),
        ("ftp://operator.example/", form), ("http://operator.example/token", secure), ("http://10.0.0.1/", secure),
        ("http://128.0.0.1/", secure), ("http://127.0.0.1.example/", secure), ("http://localhost.example/", secure),
        ("https://", host), ("https:///token", host), ("https://a:b@operator.example/", "must not name a user"),
        ("https://operator.example:0/", host), ("https://operator.example:65536/", host),
        ("https://operator.example:/", host), ("https://operator.example:x/", host), ("https://[::1/", host),
        ("https://[::g]/", host), ("https://[127.0.0.1]/", host), ("https://[::1]x/", host),
        ("https://operator.example/#a", "must not have a fragment"),
        ("https://operator.example/ a", "may have only visible ASCII characters"),
        ("https://operator.example/\u{E9}", "may have only visible ASCII characters"),
        ("https://operator.example/\r\n", "may have only visible ASCII characters"),
        ("https://" + String(repeating: "a", count: 1020), "is longer than 1024 bytes"),
    ]) func `names a wrong URL`(url: String, reason: String) {
        #expect(defects { $0.tokenURL = url } == ["tokenURL " + reason])
        #expect(defects { $0.authorizeURL = url } == ["authorizeURL " + reason])
        #expect(defects { $0.redirectURI = url } == ["redirectURI " + reason])
        #expect(defects { $0.apiURL = url } == ["apiURL " + reason])
    }

    @Test func `wants a base that a path can be put behind`() {
        #expect(defects { $0.apiURL = "https://a.example/v2/" } == ["apiURL must not end with a slash"])
        #expect(defects { $0.apiURL = "https://a.example/v2?x=1" } == ["apiURL must not have a query"])
    }

    @Test(arguments: ["", "Example", "a b", "a_b", "\u{E9}", String(repeating: "a", count: 33)])
    func `names a wrong name`(name: String) {
        #expect(defects { $0.name = name } == ["name must be 1 to 32 of a-z, 0-9 and -"])
    }

    @Test func `names what is wrong with every other field, all at once`() {
        let found = defects {
            $0.clientID = "a b"
            $0.networks = ["192.0.2.0/24", "x", "192.0.2.1/24"]
            $0.callTimeout = .milliseconds(49)
            $0.identifyTimeout = .milliseconds(48)
            $0.breakerFailures = -1
            $0.breakerPause = .milliseconds(999)
        }
        #expect(
            found.map { $0.split(separator: " ")[0] } == [
                "clientID", "networks[1]", "networks[2]", "callTimeout", "identifyTimeout",
                "breakerFailures", "breakerPause",
            ])
        #expect(defects { $0.networks = [] } == ["networks is empty: no device would be sent to this operator"])
    }

    @Test func `takes times at their borders`() {
        #expect(
            defects {
                $0.callTimeout = .milliseconds(50)
                $0.identifyTimeout = .milliseconds(50)
                $0.breakerPause = .seconds(1)
                $0.breakerFailures = 0
            }.isEmpty)
        #expect(
            defects {
                $0.callTimeout = .seconds(30)
                $0.identifyTimeout = .seconds(30)
                $0.breakerPause = .seconds(3600)
                $0.breakerFailures = 1000
            }.isEmpty)
    }

    @Test func `finds names and networks that two operators claim`() {
        var second = Fixture.settings()
        second.networks = ["2001:db8::/32", "192.0.2.0/24", "x"]
        #expect(
            OperatorSettings.defects(of: [Fixture.settings(), second]).map(\.description) == [
                "[1].networks[2] is not a block of addresses such as 192.0.2.0/24 or 2001:db8::/32",
                "[1].name is there twice", "[1].networks[1] is there twice",
            ])
        second = Fixture.settings("second")
        second.networks = ["192.0.2.0/25"]
        #expect(OperatorSettings.defects(of: [Fixture.settings(), second]).isEmpty)
    }
}
