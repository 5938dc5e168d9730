import BuiltInFiles
import Possession
import StrictJSON
import Testing

@testable import ClientSurfaces
@testable import SurfaceKit
@testable import SurfaceTestSupport

/// The file with the texts of the pages that links open. With a mistake in it the program would not start.
@Suite struct LinkTextCatalogTests {
    private static let file = BuiltInPath.object(in: BuiltInPath.linkPages)

    /// The mistakes of the file with a changed member; `path` names it from its language on.
    private static func mistakes(_ path: [String], _ value: JSONValue?) -> [String] {
        var file = Self.file
        set(path[...], value, in: &file)
        do throws(LinkTextCatalog.Mistakes) {
            _ = try LinkTextCatalog(file)
            return []
        } catch { return error.all }
    }

    private static func set(_ path: ArraySlice<String>, _ value: JSONValue?, in object: inout JSONObject) {
        guard let name = path.first else { return }
        guard path.count > 1 else {
            object[name] = value
            return
        }
        var inner = object[name]?.object ?? JSONObject()
        set(path.dropFirst(), value, in: &inner)
        object[name] = .object(inner)
    }

    /// The path of each text and each object in a language.
    private static func paths(of object: JSONObject, below path: [String]) -> [[String]] {
        object.members.flatMap { member in
            [path + [member.name]] + (member.value.object.map { paths(of: $0, below: path + [member.name]) } ?? [])
        }
    }

    @Test func `every language has every text, and nothing else`() throws {
        let texts = try LinkTextCatalog(Self.file).all
        #expect(texts.map(\.locale.text) == Self.file.names && texts.count >= 21)
    }

    @Test func `a language without one of its texts is refused`() throws {
        let paths = Self.paths(of: try #require(Self.file["de"]?.object), below: ["de"])
        #expect(paths.count > 50)
        for path in paths {
            let place = path.joined(separator: ".")
            let mistakes = Self.mistakes(path, nil)
            #expect(!mistakes.isEmpty && mistakes.allSatisfy { $0.hasPrefix(place) && $0.hasSuffix(": is missing") })
        }
    }

    @Test(
        arguments: [
            (["fr", "asking", "title"], "", "fr.asking.title: must not be empty"),
            (["fr", "asking", "title"], 7, "fr.asking.title: must be text"),
            (["fr", "asking", "title"], "a\n", "fr.asking.title: must not contain control characters"),
            (["fr", "asking", "subtitle"], "x", "fr.asking.subtitle: unknown member"),
            (["fr", "more"], "x", "fr.more: unknown member"),
            (["fr"], "x", "fr: must be an object"),
            (["pt-br"], [:], "pt-br: is no language tag"),
            (["en"], nil, "en: is missing"),
        ] as [([String], JSONValue?, String)]) func `names the mistake`(
            path: [String], value: JSONValue?, mistake: String
        )
    {
        #expect(Self.mistakes(path, value) == [mistake])
    }
}
