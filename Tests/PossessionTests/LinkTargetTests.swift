@testable import Possession
import Testing

/// What becomes of `finalTargetUrl` at the end of a link, and whose origin it lies on.
@Suite struct LinkTargetTests {
    private let authID = AuthID("01234567-89ab-7fff-bfff-ffffffffffff")!
    private let added = "authId=01234567-89ab-7fff-bfff-ffffffffffff"

    @Test(arguments: [
        ("https://a.test", "https://a.test?asc=true&"), ("https://a.test/", "https://a.test/?asc=true&"),
        ("https://a.test/p?", "https://a.test/p?asc=true&"), ("https://a.test/p?x=1", "https://a.test/p?x=1&asc=true&"),
        ("https://a.test/p?x=1&y=2", "https://a.test/p?x=1&y=2&asc=true&"),
        ("https://a.test/p?x=a?b=c", "https://a.test/p?x=a?b=c&asc=true&"),
        ("https://a.test/p?asc=false", "https://a.test/p?asc=true&"),
        ("https://a.test/p?asc", "https://a.test/p?asc=true&"),
        ("https://a.test/p?authId=1&x=1&asc=false", "https://a.test/p?x=1&asc=true&"),
        ("https://a.test/p?asc=1&asc=2&authId=", "https://a.test/p?asc=true&"),
        ("https://a.test/p?ascx=1&xasc=2", "https://a.test/p?ascx=1&xasc=2&asc=true&"),
        ("https://a.test/asc=false", "https://a.test/asc=false?asc=true&"),
    ])
    func `keeps the query and says how it ended, once`(text: String, expected: String) {
        #expect(FinalTargetURL.text(text, succeeded: true, authID: authID) == expected + added)
    }

    @Test func `says so of a failure too`() {
        #expect(
            FinalTargetURL.text("https://a.test/?x=1", succeeded: false, authID: authID)
                == "https://a.test/?x=1&asc=false&" + added)
    }

    @Test(arguments: [
        ("https://a.test", true), ("https://a.test/", true), ("https://a.test/back?x=1", true),
        ("https://b.test:8443/x", true),
        ("https://a.test.evil.test/", false), ("https://a.testevil/", false), ("http://a.test/", false),
        ("https://a.test:444/", false), ("https://b.test/x", false), ("https://x.a.test/", false),
        ("https://evil.test/https://a.test/", false),
    ])
    func `lies on a registered origin, exactly`(text: String, isThere: Bool) throws {
        #expect(try FinalTargetURL(text).isAt(["https://a.test", "https://b.test:8443"]) == isThere)
    }

    @Test func `lies nowhere when no origin is registered`() throws {
        #expect(try !FinalTargetURL("https://a.test/").isAt([]))
    }
}
