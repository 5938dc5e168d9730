import StrictJSON
import Testing

@Suite struct JSONWriterTests {
    private func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }

    @Test func `writes members in order and without white space`() {
        let object: JSONObject = ["b": 1, "a": ["x", true, .null], "c": [:]]
        #expect(String(decoding: object.serialized(), as: UTF8.self) == #"{"b":1,"a":["x",true,null],"c":{}}"#)
    }

    @Test func `escapes a character wherever it stands`() throws {
        for length in 1...17 {
            for place in 0..<length {
                for scalar in (0..<0x80).compactMap(Unicode.Scalar.init) + ["é", "水", "😀"] {
                    var text = String(repeating: "t", count: place)
                    text.unicodeScalars.append(scalar)
                    text += String(repeating: "é", count: length - place - 1)
                    let bytes = (["t": .string(text)] as JSONObject).serialized()
                    #expect(!bytes.contains { $0 < 0x20 })
                    #expect(try JSONObject.parse(bytes)["t"]?.string == text)
                }
            }
        }
    }

    @Test func `escapes only what must be escaped`() {
        #expect(text("a/é😀\u{7F}\u{2028}") == "\"a/é😀\u{7F}\u{2028}\"")
        #expect(text("\"\\\u{8}\t\n\u{C}\r\u{0}\u{1F}\u{B}") == #""\"\\\b\t\n\f\r\u0000\u001f\u000b""#)
    }

    @Test func `writes integers bare, to the ends of their range`() {
        #expect(text(.integer(.min)) == "-9223372036854775808")
        #expect(text(.integer(.max)) == "9223372036854775807")
        #expect(text(.number("1.50")) == "1.50")
    }

    @Test func `leaves out what has no value`() {
        var object = JSONObject()
        object.set("a", nil as String?)
        object.set("b", nil as Int?)
        object.set("c", "x")
        object.set("d", 5)
        object.set("e", false)
        object.set("f", ["y"])
        object.set("g", ["h": 1] as JSONObject)
        #expect(
            String(decoding: object.serialized(), as: UTF8.self) == #"{"c":"x","d":5,"e":false,"f":["y"],"g":{"h":1}}"#)
        object["c"] = nil
        object.set("d", 6)
        #expect(object.names == ["d", "e", "f", "g"])
        #expect(object["d"] == 6)
    }
}
