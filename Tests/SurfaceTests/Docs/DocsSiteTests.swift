@testable import DocsSurface
@testable import SurfaceTestSupport
import BuiltInFiles
import Foundation
import HTTPServer
import StrictJSON
import SurfaceKit
import Testing

/// The documentation as a site.
struct DocsSiteTests {
    private let content = DocsWorld.content

    private func client(isSandbox: Bool = true) throws -> InProcessClient {
        try InProcessClient(DocsWorld.surface(isSandbox: isSandbox).routes)
    }

    private func get(_ path: String, _ headers: [(String, String)] = [], from client: InProcessClient) async -> Response
    {
        await client.send(
            Request(method: .get, path: path, headers: Headers(headers.map { (name: $0.0, value: $0.1) }), id: "q"))
    }

    @Test func `each guide of the first level is in the navigation once`() {
        let names = GuideGroup.all.flatMap(\.names)
        #expect(names.sorted() == content.guides.filter { $0.parent == nil }.map(\.name).sorted())
    }

    @Test func `each page below another has one above it`() {
        for guide in content.guides {
            guard let parent = guide.parent else { continue }
            #expect(content.guides.contains { $0.name == parent }, "\(guide.name)")
        }
    }

    @Test func `each call of each surface has a page`() {
        let addresses = Set(content.pages.map(\.address))
        #expect(addresses.count == content.pages.count)
        #expect(content.documents.flatMap(\.calls).count > 200)
        for document in content.documents {
            let paths = (document.object["paths"]?.object?.members ?? []).flatMap { $0.value.object?.members ?? [] }
            for path in paths where path.name != "options" {
                let id = path.value.object?["operationId"]?.string ?? ""
                #expect(addresses.contains("/docs/reference/\(document.name)/\(id)"), "\(document.name) \(id)")
            }
        }
    }

    @Test func `each link leads to a page, a heading or a file that there is`() async throws {
        let client = try client()
        let frame = SiteFrame(content: content, version: "v")
        let elsewhere = Set(["data:,", "/demo", "/openapi.json"] + content.documents.map(\.path))
        var anchors: [String: Set<String>] = [:]
        var links: [String: Set<String>] = [:]
        for page in content.pages {
            let html = Array(frame.document(page).text.utf8)
            anchors[page.address] = Set(Self.values(of: "id", in: html))
            links[page.address] = Set(Self.values(of: "href", in: html) + Self.values(of: "src", in: html))
        }
        var count = 0
        for (page, link) in links.flatMap({ page in page.value.map { (page.key, $0) } }) {
            if link.hasPrefix("http") || link.hasPrefix("/docs/assets/v/") || elsewhere.contains(link) { continue }
            count += 1
            let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let address = parts[0].isEmpty ? page : parts[0]
            if address.hasPrefix("/docs/pictures/") {
                #expect(await get(address, from: client).status == 200, "\(page): \(link)")
            } else if let there = anchors[address] {
                let anchor = parts.count == 2 ? parts[1].removingPercentEncoding ?? "" : nil
                #expect(anchor.map(there.contains) ?? true, "\(page): \(link)")
            } else {
                Issue.record("\(page): \(link)")
            }
        }
        #expect(count > 5_000)
    }

    /// The values of an attribute, without the markup's escapes.
    private static func values(of attribute: String, in html: [UInt8]) -> [String] {
        let start = Array(" \(attribute)=\"".utf8)
        var (values, place) = ([String](), 0)
        while let found = html[place...].firstIndex(of: start[0]) {
            place = found + 1
            guard html[found...].starts(with: start) else { continue }
            let value = html[(found + start.count)...].prefix { $0 != UInt8(ascii: "\"") }
            values.append(String(decoding: value, as: UTF8.self).replacing("&amp;", with: "&"))
        }
        return values
    }

    @Test func `the search has each section and each call`() {
        let addresses = Set(content.entries.map(\.address))
        for guide in content.guides {
            #expect(addresses.contains(guide.address))
            for section in guide.markdown.sections.dropFirst() {
                #expect(addresses.contains("\(guide.address)#\(section.anchor)"))
            }
        }
        for document in content.documents {
            for call in document.calls { #expect(addresses.contains(SitePath.call(call.id, of: document.name))) }
        }
    }

    @Test func `the search index has at most 200,000 bytes in gzip and in brotli`() throws {
        for coding in ContentCoding.allCases {
            let coded = try #require(coding.coded(content.searchIndex))
            #expect(coded.count < 200_000 && coded.count > 10_000, "\(coding)")
        }
    }

    @Test func `a page comes in the coding that the caller takes, each with a tag of its own`() async throws {
        let client = try client()
        var tags: Set<String> = []
        for (accepted, coding) in [
            ("br, gzip", "br"), ("gzip", "gzip"), ("gzip, br;q=0.5", "gzip"), ("identity", nil), ("br;q=0", nil),
        ] {
            let answer = await get("/docs/limits", [("Accept-Encoding", accepted)], from: client)
            #expect(answer.status == 200 && answer.header("content-encoding") == coding, "\(accepted)")
            #expect(answer.header("vary") == "Accept-Encoding")
            let tag = try #require(answer.header("etag"))
            tags.insert(tag)
            let again = await get(
                "/docs/limits", [("Accept-Encoding", accepted), ("If-None-Match", tag)], from: client)
            #expect(again.status == 304 && again.body.isEmpty)
        }
        #expect(tags.count == 3)
    }

    @Test func `a page has nothing from elsewhere and nothing that the policy forbids`() async throws {
        let client = try client()
        for page in content.pages {
            let answer = await get(page.address, from: client)
            #expect(answer.status == 200, "\(page.address)")
            #expect(
                answer.header("content-security-policy")?.hasPrefix("default-src 'none'; script-src 'self'") == true)
            #expect(
                Self.values(of: "style", in: answer.body).isEmpty && Self.values(of: "onclick", in: answer.body).isEmpty
            )
            #expect(Self.values(of: "src", in: answer.body).allSatisfy { $0.hasPrefix("/docs/") }, "\(page.address)")
        }
    }

    @Test func `only a sandbox has forms that call it`() async throws {
        let path = "/docs/reference/holdfast/startUnify"
        #expect(await get(path, from: try client()).text.contains("<form"))
        #expect(await !get(path, from: try client(isSandbox: false)).text.contains("<form"))
    }

    @Test(arguments: [
        "/docs/none", "/docs/operate/none", "/docs/reference/prelude/none", "/docs/assets/none/site.js",
        "/docs/limits.md",
        "/docs/operate/../limits",
    ]) func `there is no other page`(path: String) async throws {
        let answer = await get(path, from: try client())
        #expect(answer.status == 404)
        #expect(answer.json["code"] == .integer(8001))
    }

    @Test func `a file never changes under its address`() async throws {
        let client = try client()
        let page = await get("/docs", from: client).text
        for name in ["site.css", "site.js", "search.js", "search.json", "lunr.js"] {
            let match = try #require(
                page.firstMatch(of: try Regex<(Substring, Substring)>("\"(/docs/assets/[^/\"]*/\(name))\"")))
            let file = await get(String(match.output.1), from: client)
            #expect(
                file.status == 200 && file.header("cache-control") == "public, max-age=31536000, immutable", "\(name)")
        }
    }
}
