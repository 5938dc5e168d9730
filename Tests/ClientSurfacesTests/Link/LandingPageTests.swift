import HTTPServer
import Locks
import Engine
import Possession
import Testing
import Text

@testable import ClientSurfaces
@testable import OperationsSurfaces
@testable import ProveSurfaces
@testable import SandboxSurfaces
@testable import ServerDescription
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// A link whose engine says what the test wants, and what it was told.
private final class Fixture: Sendable {
    struct Told: Sendable, Equatable {
        let token: String
        let decision: LinkDecision?
        let address: String?
    }

    let router: Router
    let told = Locked<[Told]>([])
    let reports = Locked<[String]>([])
    let hashed = Locked<[[UInt8]]>([])

    init(_ view: LinkView, fault: EngineFault? = nil, trustedProxies: AddressRanges = AddressRanges()) {
        let (told, reports, hashed) = (told, reports, hashed)
        let surface = LinkSurface(
            look: { token, _ throws(EngineFault) in
                told.withLock { $0.append(Told(token: token, decision: nil, address: nil)) }
                if let fault { throw fault }
                return view
            },
            decide: { token, decision, address, _ throws(EngineFault) in
                told.withLock { $0.append(Told(token: token, decision: decision, address: address?.text)) }
                if let fault { throw fault }
                return view
            },
            report: { text in reports.withLock { $0.append(text) } }, trustedProxies: trustedProxies,
            sha256: { bytes in
                hashed.withLock { $0.append(bytes) }
                return Array(repeating: 0xFB, count: 32)
            })
        router = Router(surface.routes)
    }

    static let token = "AAAAAAAAAAAAAAAAAAAAAA"
    static let form = "application/x-www-form-urlencoded"
    static let target = "https://app.example/done?asc=true&authId=1#end"

    func get(_ method: Verb = .get, token: String = token) async -> Response {
        await router.response(
            to: Request(method: method, path: "/l/\(token)", id: "r"), failureResponse: failureResponse)
    }

    func post(
        _ body: String, type: String? = form, headers: [(name: String, value: String)] = []
    ) async -> Response {
        let type = type.map { [(name: "Content-Type", value: $0)] } ?? []
        return await router.response(
            to: Request(
                method: .post, path: "/l/\(Self.token)", headers: Headers(type + headers), body: Array(body.utf8),
                id: "r"),
            failureResponse: failureResponse)
    }

    static func invitation(
        _ requester: String = "Northwind Bank", browser: String? = "Firefox on Linux", code: Bool = false
    ) -> LinkInvitation {
        LinkInvitation(
            requester: requester, requestedAt: Timestamp(seconds: 1_767_261_600), browser: browser,
            needsMatchCode: code, expiresAt: Timestamp(seconds: 1_767_261_780))
    }
}

private typealias Verb = HTTPServer.Method

extension Response {
    fileprivate var page: String { String(decoding: body, as: UTF8.self) }

    fileprivate func field(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// Text between `start` and the next `end`; `nil`: one of them is not there.
    fileprivate func between(_ start: String, _ end: String) -> String? {
        guard let from = page.firstRange(of: start)?.upperBound, let to = page[from...].firstRange(of: end)?.lowerBound
        else { return nil }
        return String(page[from..<to])
    }
}

@Suite struct LandingPageTests {
    // MARK: the question

    @Test func `says who asks, when, and which browser waits`() async {
        let fixture = Fixture(.open(Fixture.invitation()))
        let answer = await fixture.get()
        #expect(answer.status == 200)
        #expect(answer.between("<h1>", "</h1>") == "<bdi>Northwind Bank</bdi> asks you to confirm that it’s you")
        #expect(answer.page.contains("<bdi>Firefox</bdi> on <bdi>Linux</bdi>"))
        #expect(
            answer.page.contains(
                "<time class=\"day\" datetime=\"2026-01-01T10:00:00Z\" dir=\"ltr\">1\u{A0}January 2026, "
                    + "10:00\u{A0}UTC</time>"))
        #expect(
            answer.page.contains("<time datetime=\"2026-01-01T10:03:00Z\" dir=\"ltr\">10:03\u{A0}UTC</time>"))
        #expect(answer.page.contains("Did not start this?"))
        #expect(fixture.told.withLock { $0 } == [.init(token: Fixture.token, decision: nil, address: nil)])
    }

    @Test func `has one form, two buttons, one heading and one main part`() async {
        let page = await Fixture(.open(Fixture.invitation())).get().page
        for part in [
            "<html lang=\"en\">", "<main>", "<h1>", "<form method=\"post\">", "value=\"approve\"",
            "value=\"deny\" formnovalidate",
        ] {
            #expect(page.split(separator: part, omittingEmptySubsequences: false).count == 2, "\(part)")
        }
        #expect(!page.contains("matchCode"))
        #expect(page.hasPrefix("<!doctype html>"))
    }

    @Test func `asks for the match code where one is needed`() async {
        let page = await Fixture(.open(Fixture.invitation(code: true))).get().page
        #expect(page.contains("<label for=\"matchCode\">"))
        for attribute in [
            "name=\"matchCode\"", "inputmode=\"numeric\"", "autocomplete=\"off\"", "maxlength=\"2\"", " required ",
            "aria-describedby=\"matchCode-help\"",
        ] {
            #expect(page.contains(attribute), "\(attribute)")
        }
        #expect(!page.contains("aria-invalid") && !page.contains("autofocus") && !page.contains("Error"))
    }

    @Test func `asks again with the error at the input, which has the focus`() async {
        let answer = await Fixture(.askAgain(Fixture.invitation(code: true))).post("decision=approve&matchCode=4x")
        #expect(answer.status == 400)
        #expect(answer.between("<title>", "</title>") == "Error: Northwind Bank asks you to confirm")
        for part in [
            "aria-invalid=\"true\"", "autofocus", "aria-describedby=\"matchCode-error matchCode-help\"",
            "id=\"matchCode-error\"", "id=\"matchCode-help\"",
        ] {
            #expect(answer.page.contains(part), "\(part)")
        }
        #expect(!answer.page.contains("4x"), "what was typed is not repeated")
    }

    @Test func `a browser without a name is spoken of as one`() async {
        let page = await Fixture(.open(Fixture.invitation(browser: nil))).get().page
        #expect(page.contains("<dd>A browser that did not say its name</dd>"))
    }

    @Test func `looks and never decides, whatever the method of reading`() async {
        let fixture = Fixture(.open(Fixture.invitation()))
        for method in [Verb.get, .head, .get] { #expect(await fixture.get(method).status == 200) }
        #expect(fixture.told.withLock { $0.count { $0.decision == nil } } == 3)
        #expect(fixture.told.withLock { $0.count } == 3)
    }

    // MARK: values

    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'><svg/onload=alert(1)>", "</title><b>",
        "</style><script>", "<!--", "]]>", "&lt;script&gt;", "javascript:alert(1)", "{{7*7}}", "\u{0}<b>",
        "<\u{200B}b>",
        "＜script＞", "a\r\nSet-Cookie: a=b",
    ]) func `a name never becomes markup`(name: String) async {
        for view in [
            LinkView.open(Fixture.invitation(name, browser: name)),
            .askAgain(Fixture.invitation(name, browser: name, code: true)),
        ] {
            let answer = await Fixture(view).get()
            let clean = await Fixture(.open(Fixture.invitation("x", browser: "x"))).get()
            let again = await Fixture(.askAgain(Fixture.invitation("x", browser: "x", code: true))).get()
            let expected = answer.status == 200 ? clean : again
            for character in "<>\"" {
                #expect(
                    answer.page.count { $0 == character } == expected.page.count { $0 == character }, "\(character)")
            }
            #expect(answer.headers.map(\.name) == expected.headers.map(\.name))
            #expect(!answer.page.contains("\0"))
        }
    }

    @Test func `escapes every character that could end a text or an attribute`() {
        let text = "&<>\"'"
        let piece: HTML = "<p title=\"\(text)\">\(text)</p>"
        #expect(piece.text == "<p title=\"&amp;&lt;&gt;&quot;&#39;\">&amp;&lt;&gt;&quot;&#39;</p>")
        let nested: HTML = "<div>\(piece)</div>"
        #expect(nested.text == "<div>\(piece.text)</div>")
    }

    @Test(arguments: [
        ("Acme", "Acme"), ("  Acme \t\n Bank ", "Acme Bank"), ("", "?"), (" \u{200B}\u{FEFF} ", "?"),
        ("\u{202E}knaB\u{202C}", "knaB"), ("\u{2066}a\u{2069}\u{200F}b\u{61C}", "ab"), ("a\u{0}\u{1B}[1mb", "a[1mb"),
        ("a\u{E0041}\u{E007F}b", "ab"), ("a\u{2028}b\u{2029}c", "a b c"), ("a\u{3164}b", "ab"), ("a\u{FFF0}b", "ab"),
        ("e\u{301}\u{302}\u{303}\u{304}!", "e\u{301}\u{302}!"), ("\u{301}\u{302}", "?"), ("بنك", "بنك"),
        ("株式会社", "株式会社"),
        ("Café №1 🏦", "Café №1 🏦"),
    ]) func `a name is one visible line`(name: String, expected: String) {
        #expect(SanitizedDisplayName(name, orElse: "?").text.unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    @Test func `a name has 64 characters at most`() {
        let longest = String(repeating: "é", count: SanitizedDisplayName.maxCharacters)
        #expect(SanitizedDisplayName(longest, orElse: "?").text == longest)
        #expect(SanitizedDisplayName(longest + "  ", orElse: "?").text.hasPrefix(longest))
        #expect(SanitizedDisplayName(longest + "é", orElse: "?").text == longest + "…")
        #expect(SanitizedDisplayName(String(repeating: "a", count: 1_000_000), orElse: "?").text.count == 65)
    }

    // MARK: endings

    @Test(arguments: [
        (LinkView.superseded(), 410, "There is a newer link"), (.unknown, 404, "This link does not work"),
        (.ended(LinkEnding(reason: .approved, target: nil)), 200, "You approved the request"),
        (.ended(LinkEnding(reason: .denied, target: nil)), 200, "The request was denied"),
        (.ended(LinkEnding(reason: .failed, target: nil)), 200, "This could not be confirmed"),
        (.ended(LinkEnding(reason: .expired, target: nil)), 410, "This link has expired"),
    ]) func `closes with a page where there is nowhere to go`(view: LinkView, status: Int, heading: String) async {
        for answer in [await Fixture(view).get(), await Fixture(view).post("decision=deny")] {
            #expect(answer.status == status)
            #expect(answer.between("<h1>", "</h1>") == heading)
            #expect(answer.field("location") == nil)
            #expect(!answer.page.contains("<form") && !answer.page.contains("href"))
        }
    }

    @Test(arguments: [LinkEnding.Reason.approved, .denied, .expired, .failed])
    func `goes on to the final target, with a button for phones that do not`(reason: LinkEnding.Reason) async {
        let fixture = Fixture(.ended(LinkEnding(reason: reason, target: Fixture.target)))
        for answer in [await fixture.get(), await fixture.post("decision=approve")] {
            #expect(answer.status == 303)
            #expect(answer.field("location") == Fixture.target)
            #expect(answer.page.contains("href=\"https://app.example/done?asc=true&amp;authId=1#end\">Continue</a>"))
        }
        #expect(fixture.reports.withLock { $0 } == [])
    }

    @Test(arguments: [
        "javascript:alert(1)", "JAVASCRIPT://app.example/%0aalert(1)", "data:text/html,x", "myapp://done",
        "//app.example",
        "/done", "", "https:/app.example", "https://", "https:///done", "https://?x", "https://a.example/\r\nX: y",
        "https://a.example/ b", "https://a.example/\"x", "https://a.example/<b>", "https://a.example\\@b.example",
        " https://a.example", "https://ä.example/", "ftp://a.example",
    ]) func `sends nobody to anything but a web address`(target: String) async {
        let fixture = Fixture(.ended(LinkEnding(reason: .approved, target: target)))
        let answer = await fixture.get()
        #expect(answer.status == 200 && answer.field("location") == nil && !answer.page.contains("href"))
        #expect(fixture.reports.withLock { $0 } == ["request r: a final target that is no web address"])
    }

    // MARK: the form

    @Test(arguments: [
        ("decision=deny", LinkDecision.deny), ("decision=deny&matchCode=", .deny),
        ("decision=deny&matchCode=42", .deny),
        ("decision=approve", .approve(matchCode: nil)), ("matchCode=&decision=approve", .approve(matchCode: nil)),
        ("matchCode=07&decision=approve&other=1", .approve(matchCode: "07")),
        ("decision=approve&matchCode=+4%2B", .approve(matchCode: " 4+")),
    ]) func `hands the decision on as it was made`(body: String, decision: LinkDecision) async {
        let fixture = Fixture(.unknown)
        _ = await fixture.post(body)
        #expect(
            fixture.told.withLock { $0 }
                == [
                    .init(
                        token: Fixture.token, decision: decision,
                        address: Request(method: .get, path: "/", id: "").peer.text)
                ])
    }

    @Test(arguments: [
        ("", "field &#39;decision&#39; is missing"), ("decision=", "field &#39;decision&#39; is missing"),
        ("decision=yes", "field &#39;decision&#39; must be approve or deny"),
        ("decision=Approve", "field &#39;decision&#39; must be approve or deny"),
        ("decision=deny&decision=approve", "field &#39;decision&#39; is there twice"),
        ("decision=approve&matchCode=1&matchCode=2", "field &#39;matchCode&#39; is there twice"),
        ("decision=approve&a=1&a=2", "a field is there twice"), ("decision=%zz", "form-encoded"),
        ("decision=approve&matchCode=%FF", "form-encoded"),
        ((0..<33).map { "f\($0)=" }.joined(separator: "&"), "too many fields"),
    ]) func `names what is wrong with a form and decides nothing`(body: String, reason: String) async {
        let fixture = Fixture(.open(Fixture.invitation()))
        let answer = await fixture.post(body)
        #expect(answer.status == 400)
        #expect(answer.page.contains(reason))
        #expect(answer.page.contains("href=\"\">Open the page again"))
        #expect(fixture.told.withLock { $0 } == [])
    }

    @Test func `takes a body of 4096 bytes and no more`() async {
        let fixture = Fixture(.unknown)
        let body = "decision=deny&x="
        let fits = body + String(repeating: "a", count: 4096 - body.utf8.count)
        #expect(await fixture.post(fits).status == 404)
        #expect(await fixture.post(fits + "a").status == 413)
        #expect(fixture.told.withLock { $0.count } == 1)
    }

    @Test(arguments: ["application/json", "multipart/form-data; boundary=x", "text/plain", nil])
    func `takes forms only`(type: String?) async {
        let fixture = Fixture(.open(Fixture.invitation()))
        let answer = await fixture.post("decision=approve", type: type)
        #expect(answer.status == 415 && answer.page.contains("the Content-Type must be"))
        #expect(fixture.told.withLock { $0 } == [])
    }

    @Test func `takes no other method`() async {
        #expect(await Fixture(.unknown).get(.put).status == 405)
        #expect(await Fixture(.unknown).get(.delete).status == 405)
    }

    @Test func `tells the engine the address behind a trusted proxy`() async throws {
        let peer = Request(method: .get, path: "/", id: "").peer.text
        let fixture = Fixture(.unknown, trustedProxies: try AddressRanges(list: peer))
        _ = await fixture.post("decision=deny", headers: [("X-Forwarded-For", "203.0.113.9, 198.51.100.7")])
        _ = await fixture.post("decision=deny", headers: [("X-Forwarded-For", "no address")])
        #expect(fixture.told.withLock { $0.map(\.address) } == ["198.51.100.7", peer])
        let plain = Fixture(.unknown)
        _ = await plain.post("decision=deny", headers: [("X-Forwarded-For", "203.0.113.9")])
        #expect(plain.told.withLock { $0.map(\.address) } == [peer])
    }

    // MARK: faults

    @Test func `asks for patience when the store is busy`() async {
        let fixture = Fixture(.unknown, fault: .overloaded)
        for answer in [await fixture.get(), await fixture.post("decision=deny")] {
            #expect(answer.status == 503 && answer.field("retry-after") == "1")
            #expect(answer.between("<h1>", "</h1>") == "One moment, please")
        }
        #expect(fixture.reports.withLock { $0 } == [])
    }

    @Test func `keeps the reason of a fault to itself`() async {
        let fixture = Fixture(.unknown, fault: .failed("disk on fire"))
        let answer = await fixture.post("decision=deny")
        #expect(answer.status == 500 && !answer.page.contains("disk"))
        #expect(fixture.reports.withLock { $0 } == ["request r: disk on fire"])
    }

    // MARK: header fields

    @Test(arguments: [
        LinkView.open(Fixture.invitation()), .askAgain(Fixture.invitation(code: true)), .superseded(), .unknown,
        .ended(LinkEnding(reason: .approved, target: nil)), .ended(LinkEnding(reason: .denied, target: Fixture.target)),
    ]) func `every page keeps itself to itself`(view: LinkView) async {
        let fixture = Fixture(view)
        for answer in [await fixture.get(), await fixture.post("decision=deny"), await fixture.post("")] {
            #expect(answer.field("content-type") == "text/html; charset=utf-8")
            #expect(answer.field("content-language") == "en")
            #expect(answer.field("cache-control") == "no-store")
            #expect(answer.field("referrer-policy") == "no-referrer")
            #expect(answer.field("x-robots-tag") == "noindex, nofollow")
            #expect(answer.field("x-frame-options") == "DENY")
            #expect(answer.field("x-content-type-options") == "nosniff")
            #expect(answer.field("cross-origin-opener-policy") == "same-origin")
            #expect(answer.field("permissions-policy")?.contains("camera=()") == true)
            #expect(answer.field("set-cookie") == nil)
            let policy = answer.field("content-security-policy") ?? ""
            #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
            #expect(policy.contains("base-uri 'none'; frame-ancestors 'none'"))
            #expect(policy.contains("form-action 'none'") == !answer.page.contains("<form"))
            // The one script shows times; a page without times has none.
            let script = "<script>\(PageScript.text)</script>"
            let scripts = answer.page.split(separator: "<script", omittingEmptySubsequences: false).count - 1
            #expect(scripts == (answer.page.contains("<time") ? 1 : 0))
            #expect(answer.page.contains(script) == (scripts == 1))
            #expect(policy.contains("script-src 'sha256-") == (scripts == 1))
            for word in ["unsafe", "<script", " on", "http-equiv", "<link", "<img", "url(", "@import", "style=\""] {
                #expect(!policy.contains(word), "\(word)")
            }
            for word in ["http-equiv", "<link", "<img", "<iframe", "url(", "@import", "style=\"", "onclick"] {
                #expect(!answer.page.contains(word), "\(word)")
            }
        }
    }

    @Test func `the policy names style and script by the digests of what stands in the page`() async throws {
        let fixture = Fixture(.open(Fixture.invitation()))
        let answer = await fixture.get()
        let style = try #require(answer.between("<style>", "</style>"))
        let script = try #require(answer.between("<script>", "</script>"))
        #expect(fixture.hashed.withLock { $0 } == [Array(style.utf8), Array(script.utf8)])
        let digest = String(repeating: "+/v7", count: 10) + "+/s="
        #expect(answer.field("content-security-policy")?.contains("style-src 'sha256-\(digest)';") == true)
        #expect(answer.field("content-security-policy")?.hasSuffix("; script-src 'sha256-\(digest)'") == true)
        #expect(script.utf8.count < 400 && !script.contains("<") && !script.contains("&"))
        #expect(style.utf8.count < 5000 && !style.contains("<") && !style.contains("&"))
    }
}
