import Foundation
@testable import StrictJSON
import Testing

@Suite struct JSONParserTests {
    @Test(arguments: Samples.accepted)
    func `accepts what RFC 8259 allows`(text: String) throws {
        _ = try JSONValue.parse(Array(text.utf8))
    }

    @Test(arguments: Samples.refused)
    func `refuses what RFC 8259 forbids`(text: String) {
        #expect(throws: JSONError.self) { try JSONValue.parse(Array(text.utf8)) }
    }

    @Test func `a string ends at the same byte, wherever that stands`() {
        for length in 1...17 {
            for place in 0..<length {
                for byte: UInt8 in 0..<0x80 {
                    var string = [UInt8](repeating: UInt8(ascii: "t"), count: length)
                    string[place] = byte
                    let value = try? JSONValue.parse([UInt8(ascii: "\"")] + string + [UInt8(ascii: "\"")])
                    // A backslash before a t is a tab, before the last quote it leaves the string open.
                    let isEscape = byte == UInt8(ascii: "\\") && place + 1 < length
                    let isPlain = byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
                    #expect((value != nil) == (isPlain || isEscape))
                    if isPlain { #expect(value?.string.map { Array($0.utf8) } == string) }
                }
            }
        }
    }

    @Test(arguments: Samples.refusedBytes)
    func `refuses invalid UTF-8, raw surrogates and byte order marks`(bytes: [UInt8]) {
        #expect(throws: JSONError.self) { try JSONValue.parse(bytes) }
    }

    @Test(arguments: [
        (#"{"a":1,"a":1}"#, true), (#"{"a":1,"\u0061":1}"#, true), (#"{"":1,"":2}"#, true), (#"{"a":1,"A":1}"#, false),
        (#"{"a":{"a":1},"b":{"a":1}}"#, false), (#"[{"a":1},{"a":1}]"#, false), (#"{"a":{"b":1,"b":2}}"#, true),
        (#"{"K":1,"K":2}"#, true),
    ])
    func `refuses a name used twice in one object, however it is escaped`(text: String, refused: Bool) {
        let value = try? JSONValue.parse(Array(text.utf8))
        #expect((value == nil) == refused)
    }

    @Test(arguments: [1, 15, 16, 17, 18, 250])
    func `finds the duplicate at any size of object`(count: Int) throws {
        let members = (0..<count).map { "\"n\($0)\":0" }
        let object = try JSONObject.parse(Array("{\(members.joined(separator: ","))}".utf8))
        #expect(object.count == count)
        let first = "{" + (members + [members[0]]).joined(separator: ",") + "}"
        #expect(throws: JSONError.self) { try JSONObject.parse(Array(first.utf8)) }
        let last = "{" + (members + [members[count - 1]]).joined(separator: ",") + "}"
        #expect(throws: JSONError.self) { try JSONObject.parse(Array(last.utf8)) }
    }

    @Test(arguments: ["[]", "1", "null", "\"a\"", "true", ""])
    func `demands an object where one is due`(text: String) {
        #expect(throws: JSONError.self) { try JSONObject.parse(Array(text.utf8)) }
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `takes 32 levels, not 33`(open: String, close: String) throws {
        func nested(_ levels: Int) -> [UInt8] {
            let inside = open == "[" ? "" : "1"
            return Array(
                (String(repeating: open, count: levels) + inside + String(repeating: close, count: levels)).utf8)
        }
        _ = try JSONValue.parse(nested(32))
        #expect(throws: JSONError.self) { try JSONValue.parse(nested(33)) }
        #expect(throws: JSONError.self) { try JSONValue.parse(nested(100_000)) }
        #expect(throws: JSONError.self) { try JSONValue.parse(Array(String(repeating: open, count: 100_000).utf8)) }
    }

    @Test func `counts depth, not the number of values`() throws {
        let many = "[" + Array(repeating: "[]", count: 100).joined(separator: ",") + "]"
        #expect(try JSONValue.parse(Array(many.utf8)).array?.count == 100)
        let objects = "[" + Array(repeating: "{}", count: 100).joined(separator: ",") + "]"
        #expect(try JSONValue.parse(Array(objects.utf8)).array?.count == 100)
    }

    @Test func `decodes every kind of value`() throws {
        let text =
            #" {"s":"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é","i":-1,"n":1.50e+2,"t":true,"f":false,"z":null,"a":[1,[]]} "#
        let object = try JSONObject.parse(Array(text.utf8))
        #expect(object["s"] == .string("a\"\\/\u{8}\u{C}\n\r\té😀é"))
        #expect(object["i"] == .integer(-1))
        #expect(object["n"] == .number("1.50e+2"))
        #expect(object["t"] == .bool(true) && object["f"] == .bool(false) && object["z"] == .null)
        #expect(object["a"] == [1, []])
        #expect(object.names == ["s", "i", "n", "t", "f", "z", "a"])
        #expect(object["missing"] == nil)
    }

    @Test(arguments: [
        ("9223372036854775807", JSONValue.integer(.max)), ("9223372036854775808", .number("9223372036854775808")),
        ("-9223372036854775808", .integer(.min)), ("-9223372036854775809", .number("-9223372036854775809")),
        ("1.0", .number("1.0")), ("1e2", .number("1e2")), ("0", 0), ("-0", 0), ("1E400", .number("1E400")),
    ])
    func `keeps a number exact`(text: String, expected: JSONValue) throws {
        #expect(try JSONValue.parse(Array(text.utf8)) == expected)
    }

    @Test(
        arguments: [
            ("60.0", 60), ("6e1", 60), ("6.00E+1", 60), ("600e-1", 60), ("-60.0", -60), ("0.0", 0), ("-0.0e5", 0),
            ("0e99", nil),
            ("60.5", nil), ("6e-1", nil), ("1e19", nil), ("9223372036854775807.0", .max),
            ("9223372036854775808.0", nil),
            ("1E400", nil), ("0.\(String(repeating: "0", count: 60))", nil), ("12.5e1", 125),
            ("1e18", 1_000_000_000_000_000_000),
        ] as [(String, Int64?)])
    func `a number without a fractional part is an integer`(text: String, value: Int64?) throws {
        #expect(try JSONValue.parse(Array(text.utf8)).integer == value)
    }

    @Test func `finds a member by its bytes, not by look`() throws {
        let object = try JSONObject.parse(Array("{\"\u{212A}\":1}".utf8))
        #expect(object["K"] == nil)
        #expect(object["\u{212A}"] == 1)
    }

    @Test func `refuses a text cut off at any byte`() throws {
        let whole = Array(#"{"a":["\u00e9\ud83d\ude00é",-1.5e+10,true,false,null,{"b":{}}],"c":""}"#.utf8)
        _ = try JSONObject.parse(whole)
        for length in 0..<whole.count {
            #expect(throws: JSONError.self) { try JSONObject.parse(Array(whole[..<length])) }
        }
    }

    @Test func `names the offset and never the input`() {
        let error = #expect(throws: JSONError.self) { try JSONObject.parse(Array(#"{"code":"1234"x}"#.utf8)) }
        #expect(error == JSONError(reason: "a comma or the end of the object is due", offset: 14))
    }

    @Test func `agrees with Foundation on random texts`() {
        var generator = SplitMix(state: 0x5EED_0001)
        var accepted = 0
        for _ in 0..<20_000 {
            let text = Samples.random(using: &generator)
            if let ours = try? JSONValue.parse(text), !Samples.overflowsDouble(ours) {
                accepted += 1
                let theirs = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
                #expect(theirs != nil, "only we accept \(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(accepted > 1_000)
    }

    @Test func `reads back whatever it writes`() throws {
        var generator = SplitMix(state: 0x5EED_0002)
        for _ in 0..<2_000 {
            let value = Samples.randomValue(depth: 0, using: &generator)
            #expect(try JSONValue.parse(value.serialized()) == value)
            #expect(
                (try? JSONSerialization.jsonObject(with: Data(value.serialized()), options: .fragmentsAllowed)) != nil)
        }
    }

    @Test func `survives every single-byte change of a body`() {
        let body = Array(#"{"phoneNumber":"+12001004014","n":[1,2.5,null,true],"s":"\u00e9"}"#.utf8)
        for index in body.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = body
                changed[index] = byte
                if let object = try? JSONObject.parse(changed) {
                    #expect((try? JSONObject.parse(object.serialized())) == object)
                }
            }
        }
    }
}
