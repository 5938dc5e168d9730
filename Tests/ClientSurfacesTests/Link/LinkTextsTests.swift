import Foundation
import HTTPServer
import Engine
import Possession
import Testing
import Text

@testable import ClientSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// The languages of the pages that a link opens.
@Suite struct LinkTextsTests {
    private static let catalog = LinkTextCatalog.builtIn

    /// Every text of a language with its path, such as `asking.heading`.
    private static func all(of texts: LinkTexts) -> [String: String] {
        var found: [String: String] = [:]
        func collect(_ value: Any, _ path: String) {
            for child in Mirror(reflecting: value).children where child.label != "locale" {
                let path = path.isEmpty ? child.label ?? "" : "\(path).\(child.label ?? "")"
                if let text = child.value as? String { found[path] = text } else { collect(child.value, path) }
            }
        }
        collect(texts, "")
        return found
    }

    private static func places(of text: String) -> Set<Substring> {
        Set(text.matches(of: /\{(\w+)\}/).map(\.output.1))
    }

    @Test func `every language of the messages has its pages`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../config/texts.json")
        let catalog = try String(contentsOf: file, encoding: .utf8)
        let locales = Set(catalog.matches(of: /"locale": "([^"]+)"/).map { String($0.output.1) })
        #expect(locales.count >= 21)
        #expect(Set(Self.catalog.all.map(\.locale.text)).isSuperset(of: locales))
        #expect(Set(Self.catalog.all.map(\.locale)).count == Self.catalog.all.count)
        for texts in Self.catalog.all { #expect(LanguageTag(texts.locale.text) == texts.locale) }
    }

    @Test(arguments: LinkTextCatalog.builtIn.all.map(\.locale))
    func `has every text, with the places of the English one`(
        locale: LanguageTag
    ) {
        let texts = Self.all(of: Self.catalog.find([locale]))
        let english = Self.all(of: Self.catalog.find([]))
        #expect(texts.count == english.count && english.count > 40)
        for (path, text) in texts {
            #expect(!text.isEmpty && text.allSatisfy { !"<>\n".contains($0) }, "\(path)")
            let (own, expected) = (Self.places(of: text), Self.places(of: english[path] ?? ""))
            #expect(own == expected, "\(path): \(text)")
            #expect(locale == .english || path == "code.error" || text != english[path], "\(path) is in English")
        }
    }

    @Test(arguments: [
        (["de-AT"], "de"), (["pt-BR"], "pt"), (["pt-PT"], "pt-PT"), (["zh-TW"], "zh-Hant"), (["zh-CN"], "zh"),
        (["zh-Hant-HK"], "zh-Hant"), (["in"], "id"), (["el", "fr-CA"], "fr"), (["el"], "en"), ([], "en"),
    ]) func `is looked up as messages are`(languages: [String], expected: String) {
        #expect(Self.catalog.find(languages.compactMap { LanguageTag($0) }).locale.text == expected)
    }

    @Test func `what is filled in cannot become markup or another place`() {
        let texts = Self.catalog.find([])
        #expect(texts.filled("{name}, {deny}!", [("name", "\("<{deny}>")")]).text == "&lt;{deny}&gt;, Deny!")
        #expect(texts.filled("{nobody}a{").text == "a{")
    }

    // MARK: pages

    private static let start = Timestamp(seconds: 1_767_261_600)

    private func router(_ view: LinkView) -> Router {
        let surface = LinkSurface(
            look: { _, _ throws(EngineFault) in view }, decide: { _, _, _, _ throws(EngineFault) in view },
            report: { _ in }, trustedProxies: AddressRanges(), sha256: { _ in Array(repeating: 1, count: 32) })
        return Router(surface.routes)
    }

    private func page(
        _ view: LinkView, accept: String? = nil, body: String? = nil
    ) async -> (text: String, language: String?) {
        var fields = accept.map { [(name: "Accept-Language", value: $0)] } ?? []
        if body != nil { fields.append(("Content-Type", "application/x-www-form-urlencoded")) }
        let request = Request(
            method: body == nil ? .get : .post, path: "/l/AAAAAAAAAAAAAAAAAAAAAA", headers: Headers(fields),
            body: Array((body ?? "").utf8), id: "r")
        let answer = await router(view).response(to: request, failureResponse: failureResponse)
        return (String(decoding: answer.body, as: UTF8.self), answer.header("content-language"))
    }

    private func invitation(_ languages: [String], requester: String? = "Northwind", code: Bool = false) -> LinkView {
        .open(
            LinkInvitation(
                requester: requester, requestedAt: Self.start, browser: "Firefox on Linux", needsMatchCode: code,
                expiresAt: Self.start.adding(.seconds(180)), languages: languages.compactMap { LanguageTag($0) }))
    }

    @Test(
        arguments: [
            (["de"], nil, "de"), (["de"], "fr", "de"), ([], "fr-CH, de;q=0.5", "fr"), (["el"], "sv", "sv"),
            ([], "el", "en"),
            ([], nil, "en"),
        ] as [([String], String?, String)]) func `speaks as the message did, then as the browser asks, then English`(
            session: [String], accept: String?, expected: String
        ) async
    {
        let tags = session.compactMap { LanguageTag($0) }
        let ending = LinkEnding(reason: .denied, target: nil, languages: tags)
        for view in [invitation(session), .ended(ending), .superseded(languages: tags)] {
            let page = await page(view, accept: accept)
            #expect(page.text.contains("<html lang=\"\(expected)\">") && page.language == expected)
        }
    }

    @Test(arguments: ["ar", "ar-EG"]) func `Arabic goes from right to left, and its times do not`(tag: String) async {
        let page = await page(invitation([tag], code: true)).text
        #expect(page.contains("<html lang=\"ar\" dir=\"rtl\">"))
        #expect(page.contains("<bdi>Firefox</bdi> على <bdi>Linux</bdi>"))
        #expect(page.contains("dir=\"ltr\">2026-01-01, 10:00\u{A0}UTC</time>"))
    }

    @Test func `pages without a session and errors speak as the browser asks`() async {
        #expect(await page(.unknown, accept: "de").text.contains("<h1>Dieser Link funktioniert nicht</h1>"))
        let error = await page(invitation(["de"]), accept: "ar", body: "decision=perhaps").text
        #expect(error.contains("<html lang=\"ar\" dir=\"rtl\">"))
        #expect(error.contains("<p class=\"help\" lang=\"en\" dir=\"ltr\">field &#39;decision&#39; must be"))
    }

    @Test func `a client without any name is an app, in the person's language`() async {
        #expect(await page(invitation([], requester: nil)).text.contains("<bdi>An app</bdi> asks you"))
        #expect(await page(invitation(["de"], requester: nil)).text.contains("<bdi>Eine App</bdi> bittet"))
    }

    @Test(arguments: LinkTextCatalog.builtIn.all.map(\.locale)) func `every page is whole in every language`(
        locale: LanguageTag
    ) async {
        var views = [
            invitation([locale.text]), invitation([locale.text], code: true), .superseded(languages: [locale]),
            .unknown,
        ]
        for reason in [LinkEnding.Reason.approved, .denied, .expired, .used, .failed] {
            views.append(.ended(LinkEnding(reason: reason, target: nil, languages: [locale])))
            views.append(.ended(LinkEnding(reason: reason, target: "https://app.example/", languages: [locale])))
        }
        for view in views {
            let text = await page(view, accept: locale.text).text
            let shown = text.replacing(/<style>.*<\/style>|<script>.*<\/script>/.dotMatchesNewlines(), with: "")
            #expect(!shown.contains("{") && !shown.contains("}"))
            #expect(text.contains("<html lang=\"\(locale.text)\""))
        }
    }
}
