@testable import Possession
import Testing

/// The use of `finalTargetUrl` at the end of a link, and the host that it lies on.
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
        ("https://a.test", "https://a.test?code=c"),
        ("https://a.test/p?x=1&y=%20", "https://a.test/p?x=1&y=%20&code=c"),
        ("https://a.test/p?code=1&state=s&code", "https://a.test/p?state=s&code=c"),
        ("https://a.test/p?codes=1&asc=2", "https://a.test/p?codes=1&asc=2&code=c"),
        ("https://a.test/p?%63ode=1&co%64%65&x=%63&%zz=1", "https://a.test/p?x=%63&%zz=1&code=c"),
    ])
    func `gives a code to the page, once, and keeps the rest of its query`(text: String, expected: String) {
        #expect(FinalTargetURL.text(text, code: "c") == expected)
    }

    @Test func `the page of a code may have several query members, the end of a link may not`() throws {
        let text = "https://a.test/p?x=1&y=%20~"
        #expect(throws: FinalTargetURL.Defect.character) { try FinalTargetURL(text) }
        let page = try FinalTargetURL(text, as: .redirect)
        #expect(page.isAllowed(by: TenantRules(finalTargetHosts: ["a.test"])))
        #expect(!page.isAllowed(by: TenantRules(finalTargetHosts: ["b.test"])))
        let longest = "https://a.test/" + String(repeating: "a", count: 1_009)
        #expect((try? FinalTargetURL(longest, as: .redirect)) != nil)
        #expect(throws: FinalTargetURL.Defect.tooLong) { try FinalTargetURL(longest + "a", as: .redirect) }
    }

    @Test(arguments: [
        "https://a.test@b.test/", "https://a.test%2F@b.test/", "https://a.test&b.test/", "https://a.test~/",
        "https://a.test/#x", "https://a.test\\b.test/", "javascript://a.test/%0Aalert", "otpless.app://a.test/",
        "//a.test/", "https:///a.test", "https://a.test/ x", "https://a.test:0/", "https://a.test/é",
    ])
    func `nothing else may stand in it, and the host is what it seems`(text: String) {
        #expect((try? FinalTargetURL(text, as: .redirect)) == nil)
    }

    /// Its fragment carries the fingerprint, and a browser takes a fragment along over redirects: no other page of the
    /// same host will do.
    @Test(arguments: [
        ("https://a.test/back?x=1", true), ("https://b.test:8443/x", true),
        ("https://a.test", false), ("https://a.test/", false), ("https://a.test/back", false),
        ("https://a.test/back?x=1?", false), ("https://A.test/back?x=1", false), ("https://x.a.test/back?x=1", false),
        ("https://b.test/x", false), ("http://c.test/", false), ("https://app.test/", false),
        ("https://origin.test/", false),
    ])
    func `is a return page only as it was registered`(text: String, isOne: Bool) throws {
        let rules = TenantRules(
            finalTargetHosts: ["app.test"],
            mobileAuthReturnURLs: ["https://a.test/back?x=1", "https://b.test:8443/x", "http://c.test/"],
            allowedOrigins: ["https://origin.test"])
        #expect(try FinalTargetURL(text).isReturnPage(of: rules) == isOne)
    }

    @Test func `is no return page when none is registered`() throws {
        #expect(try !FinalTargetURL("https://a.test/").isReturnPage(of: TenantRules()))
    }
}
