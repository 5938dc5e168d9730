@testable import ProveSurfaces
@testable import SurfaceKit
import Possession
import StrictJSON
import Testing

/// The items of a batch.
@Suite struct BatchItemTests {
    private static let shape = Shape("") { Member.required("name", .filledText(.freeText(3))) { $0 = $1 } }
    private static let input = Input.batch(of: shape, most: 3)

    private static func read(_ list: String) throws -> [BatchItem<String>]? {
        let object = try JSONObject.parse(Array(#"{"items":\#(list)}"#.utf8))
        return try input.read(FieldReader(object), "items")
    }

    @Test func `are read each by itself`() throws {
        let items = try #require(try Self.read(#"[{"name":"abc"},{"other":1},7]"#))
        #expect(try items[0].order.get() == "abc")
        #expect(items[1].sent["other"] == 1)
        #expect(throws: PlatformRefusal.invalidField(.named("name"), reason: "is missing")) {
            try items[1].order.get()
        }
        #expect(items[2].sent.isEmpty)
        #expect(throws: PlatformRefusal.invalidField(.named("items"), reason: "must have objects")) {
            try items[2].order.get()
        }
    }

    @Test(arguments: [("[]", "is empty"), ("[1,2,3,4]", "has more than 3 entries"), ("{}", "must be an array")])
    func `are at least one, and not too many`(list: String, reason: String) {
        #expect(throws: FieldDefect("items", reason)) { try Self.read(list) }
    }

    @Test func `may be anything in the description`() {
        let schema = Self.input.schema.object
        #expect(schema["minItems"] == 1)
        #expect(schema["maxItems"] == 3)
        #expect(schema["items"]?.object?["anyOf"]?.array?.count == 2)
    }
}
