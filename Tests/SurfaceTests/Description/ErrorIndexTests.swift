import Foundation
import HTTPServer
import Possession
import StrictJSON
import Testing

@testable import SurfaceKit
@testable import SurfaceTestSupport

/// The pages of docs/errors against the documents of the surfaces, and against the errors that their code has.
@Suite(.timeLimit(.minutes(60))) struct ErrorIndexTests {
    @Test(arguments: DescribedSurface.allCases)
    func `the table has each status and code of a surface, and no other`(surface: DescribedSurface) throws {
        let listed = try surface.pages.reduce(into: Set<String>()) { $0.formUnion(try Self.names(onPage: $1)) }
        let known = Self.names(in: surface.document)
            .union(surface.responses.flatMap { Self.names(of: $0) })
            .union(surface.results.map { "200 \($0)" })
        #expect(known.subtracting(listed).sorted() == [], "missing in docs/errors")
        #expect(listed.subtracting(known).sorted() == [], "not answered by the server")
    }

    @Test(arguments: DescribedSurface.allCases.flatMap(\.pages))
    func `a page is short, and each row has a status, a code, a cause and a remedy`(page: String) throws {
        let words = try Self.text(page).split(whereSeparator: \.isWhitespace)
        #expect(words.count <= 1_500)
        for row in try Self.rows(page) {
            #expect(row.count == 4 && row.allSatisfy { !$0.isEmpty }, "\(row)")
            #expect(!Self.statuses(row).isEmpty && !Self.codes(row).isEmpty, "\(row)")
        }
    }

    @Test func `the overview leads to each page`() throws {
        let overview = try Self.text("../errors")
        for page in DescribedSurface.allCases.flatMap(\.pages) {
            #expect(overview.contains("](errors/\(page).md)"), "\(page)")
        }
    }

    @Test func `the table of the client libraries has each error that stands in a state`() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../../Clients/vectors/errors.json").standardized
        let document = try JSONValue.parse(Array(Data(contentsOf: file)))
        let table = document.object?["errors"]?.array?.compactMap(\.object) ?? []
        let names = table.filter { $0["http"]?.integer == 200 }.flatMap { row in
            [row["error"]?.string, row["code"]?.integer.map(String.init)].compactMap(\.self)
        }
        #expect(Set(DescribedSurface.own.results).subtracting(names).sorted() == [])
    }

    // MARK: Pages

    private static func text(_ page: String) throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/errors/\(page).md").standardized,
            encoding: .utf8)
    }

    private static let header = "| Status | Code | Cause | Remedy |"

    /// The cells of the only table with that header.
    private static func rows(_ page: String) throws -> [[String]] {
        let lines = try text(page).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let headers = lines.indices.filter { lines[$0] == header }
        #expect(headers.count == 1, "\(page)")
        let first = try #require(headers.first)
        return lines[(first + 2)...].prefix { $0.hasPrefix("|") }.map { line in
            line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: .whitespaces) }
        }
    }

    private static func statuses(_ row: [String]) -> [String] {
        row.first?.matches(of: /[0-9]{3}/).map { String($0.output) } ?? []
    }

    private static func codes(_ row: [String]) -> [String] {
        row.dropFirst().first?.matches(of: /`([^`]+)`/).map { String($0.output.1) } ?? []
    }

    /// Each status of a row with each code of it, such as "400 8001".
    private static func names(onPage page: String) throws -> Set<String> {
        Set(
            try rows(page).flatMap { row in
                statuses(row).flatMap { status in codes(row).map { "\(status) \($0)" } }
            })
    }

    // MARK: Answers

    /// Those of the examples of a document's errors. In the answer that any call may have, examples are named by status.
    private static func names(in document: JSONObject) -> Set<String> {
        let check = OpenAPISchemaCheck(document)
        var names: Set<String> = []
        let paths = document["paths"]?.object?.members ?? []
        for operation in paths.flatMap({ $0.value.object?.members ?? [] }) {
            for response in operation.value.object?["responses"]?.object?.members ?? [] {
                guard response.name >= "400" else { continue }
                let answer = response.value.object?["$ref"]?.string.flatMap(check.resolve) ?? response.value.object
                for media in answer?["content"]?.object?.members ?? [] {
                    for example in media.value.object?["examples"]?.object?.members ?? [] {
                        guard let body = example.value.object?["value"]?.object else { continue }
                        let status = response.name == "default" ? example.name : response.name
                        names.formUnion(codes(of: body).map { "\(status) \($0)" })
                    }
                }
            }
        }
        return names
    }

    private static func names(of response: Response) -> [String] {
        guard let body = try? JSONObject.parse(response.body) else { return [] }
        return codes(of: body).map { "\(response.status) \($0)" }
    }

    /// The members of each surface that name an error.
    private static func codes(of body: JSONObject) -> [String] {
        let values = [
            body["code"], body["errorCode"], body["error"], body["error"]?.object?["http_code"],
            body["responseObject"]?.object?["code"],
        ]
        return values.compactMap { $0 }.filter { $0.object == nil }.map { value in
            value.string ?? String(decoding: value.serialized(), as: UTF8.self)
        }
    }
}
