import StrictJSON
import Testing

@Suite struct SkippedMembersTests {
    private func parse(_ text: String) throws(JSONError) -> JSONObject {
        var limits = JSONLimits.default
        limits.skippedNames = ["large"]
        return try JSONObject.parse(Array(text.utf8), limits: limits)
    }

    @Test(arguments: [
        "1", "-1.5e3", "true", "null", #""text""#, #""\" } ] \\""#, "{}", "[]", #"{"a":[{"b":"]"},[[]]],"a":1}"#,
        " [ 1 , 2 ] ",
    ]) func `a member that nobody reads is null, whatever it holds`(value: String) throws {
        let object = try parse(#"{"a":1,"large":\#(value),"b":{"large":\#(value),"c":2}}"#)
        #expect(object.names == ["a", "large", "b"] && object["large"] == .null)
        #expect(object["b"]?.object?["c"] == 2 && object["b"]?.object?["large"] == .null)
    }

    @Test func `no limit holds for it`() throws {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(try parse(#"{"large":\#(deep),"a":1}"#)["a"] == 1)
        let name = String(repeating: "n", count: 200)
        #expect(try parse(#"{"large":{"\#(name)":1},"a":1}"#)["a"] == 1)
    }

    @Test(arguments: [
        "", "]", "}", "[", "{", "[}", "{]", "[[]", #""open"#, #""\"#, ",", ":", "\u{1}", "\"\u{1}\"", "(", "1 2",
    ])
    func `its brackets and strings must be whole`(value: String) {
        #expect(throws: JSONError.self) { try parse(#"{"large":\#(value),"a":1}"#) }
    }
}
