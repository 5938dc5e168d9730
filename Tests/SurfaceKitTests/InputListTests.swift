@testable import SurfaceKit
import StrictJSON
import Testing

/// Members that are lists.
@Suite struct InputListTests {
    private struct Entry: Sendable, Equatable {
        var name = ""
    }

    private static let entry = Shape(Entry()) { Member.required("name", .filledText(.freeText(3))) { $0.name = $1 } }
    private static let entries = Input.list(of: entry, most: 2)
    private static let words = Input.list(of: .freeText(3), most: 2)

    private static func read<Value>(_ input: Input<Value>, _ list: String) throws -> Value? {
        let object = try JSONObject.parse(Array(#"{"list":\#(list)}"#.utf8))
        return try input.read(FieldReader(object), "list")
    }

    @Test func `may be absent or empty`() throws {
        #expect(try Self.read(Self.words, "null") == nil)
        #expect(try Self.read(Self.words, "[]") == [])
        #expect(try Self.read(Self.words, #"["abc","d"]"#) == ["abc", "d"])
        #expect(try Self.read(Self.entries, #"[{"name":"abc"}]"#) == [Entry(name: "abc")])
    }

    @Test(arguments: [
        ("1", "list", "must be an array"), (#"["a","b","c"]"#, "list", "has more than 2 entries"),
        (#"["a",1]"#, "list[1]", "must be a string"), (#"[""]"#, "list[0]", "is empty"),
        (#"["abcd"]"#, "list[0]", "is longer than 3 characters"),
    ]) func `of texts tell the place of a mistake`(list: String, field: String, reason: String) {
        #expect(throws: FieldDefect(field, reason)) { try Self.read(Self.words, list) }
    }

    @Test(arguments: [
        ("[1]", "list[0]", "must be an object"), ("[{}]", "list[0].name", "is missing"),
        (#"[{"name":"a"},{"name":""}]"#, "list[1].name", "is missing"),
        ("[{},{},{}]", "list", "has more than 2 entries"),
    ]) func `of objects tell the place of a mistake`(list: String, field: String, reason: String) {
        #expect(throws: FieldDefect(field, reason)) { try Self.read(Self.entries, list) }
    }

    @Test func `are described with their bounds`() {
        #expect(Self.words.schema.object["maxItems"] == 2)
        #expect(Self.words.schema.object["items"]?.object?["minLength"] == 1)
        #expect(Self.entries.schema.object["items"]?.object?["required"] == ["name"])
    }
}
