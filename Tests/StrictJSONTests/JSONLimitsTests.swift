import StrictJSON
import TestSupport
import Testing

@Suite struct JSONLimitsTests {
    private func parses(_ text: String, _ limits: JSONLimits = .default) -> Bool {
        (try? JSONValue.parse(Array(text.utf8), limits: limits)) != nil
    }

    private func object(_ count: Int) -> String {
        "{" + (0..<count).map { "\"m\($0)\":1" }.joined(separator: ",") + "}"
    }

    @Test func `takes 256 members of an object`() {
        #expect(parses(object(256)))
        #expect(!parses(object(257)))
        #expect(parses(object(257), .trusted))
    }

    @Test func `takes 128 bytes of a name`() {
        #expect(parses("{\"\(HostileText.ascii(128))\":1}"))
        #expect(!parses("{\"\(HostileText.ascii(129))\":1}"))
        #expect(!parses("{\"\(HostileText.marks(129))\":1}"))
        #expect(parses("{\"\(HostileText.ascii(129))\":1}", .trusted))
    }

    @Test func `takes 65536 members and elements altogether`() {
        #expect(parses("[" + String(repeating: "0,", count: 65_535) + "0]"))
        #expect(!parses("[" + String(repeating: "0,", count: 65_536) + "0]"))
        // An element and a member each.
        #expect(parses("[" + Array(repeating: "{\"a\":1}", count: 32_768).joined(separator: ",") + "]"))
        #expect(!parses("[" + Array(repeating: "{\"a\":1}", count: 32_769).joined(separator: ",") + "]"))
    }

    @Test func `takes a batch of 1000 items with 60 members each`() {
        let item = object(60)
        #expect(parses("{\"items\":[" + Array(repeating: item, count: 1000).joined(separator: ",") + "]}"))
    }

    @Test(arguments: [0, 20]) func `tells names apart by their bytes`(others: Int) throws {
        let before = (0..<others).map { "\"m\($0)\":1," }.joined()
        // Two spellings of one letter, and the Kelvin sign.
        let text = "{\(before)\"\u{E9}\":1,\"e\u{301}\":2,\"K\":3,\"\u{212A}\":4}"
        let object = try JSONObject.parse(Array(text.utf8))
        #expect(object.count == others + 4)
        #expect(object["\u{E9}"]?.integer == 1)
        #expect(object["e\u{301}"]?.integer == 2)
        #expect(object["K"]?.integer == 3)
        #expect(object["\u{212A}"]?.integer == 4)
        #expect(!parses("{\(before)\"e\u{301}\":1,\"\\u0065\u{301}\":2}"))
    }

    @Test func `compares texts by their bytes`() {
        #expect(JSONValue.string("\u{E9}") != JSONValue.string("e\u{301}"))
        #expect(JSONValue.object(["\u{E9}": 1]) != JSONValue.object(["e\u{301}": 1]))
        #expect(JSONValue.array(["a", 1, true, nil as JSONValue? ?? .null]) == JSONValue.array(["a", 1, true, .null]))
    }

    @Test(arguments: [
        "{\"items\":[{NAMES\"TEXT\":1}]}", "{\"items\":[{NAMES\"a\":\"TEXT\"}]}", "[\"TEXT\",\"TEXT\"]",
        "{NAMES\"TEXT\":1,\"TEXT \":1}",
    ])
    func `costs the same for marks as for letters`(form: String) {
        let names = (0..<16).map { "\"m\($0)\":1," }.joined()
        func cost(_ text: String) -> UInt64 {
            let body = Array(form.replacing("NAMES", with: names).replacing("TEXT", with: text).utf8)
            return ProcessorTime.least { _ = try? JSONValue.parse(body, limits: .trusted) }
        }
        #expect(
            ProcessorTime.isLike(cost(HostileText.marks(48_000)), plain: cost(HostileText.ascii(48_000))))
    }
}
