import StrictJSON

/// Texts in the manner of the JSONTestSuite: `y_` (accepted) and `n_` (refused) cases.
enum Samples {
    static let accepted: [String] = [
        "[[]   ]", #"[""]"#, "[]", #"["a"]"#, "[false]", #"[null, 1, "1", {}]"#, "[null]", "[1\n]", " [1]",
        "[1,null,null,2]",
        "[2] ", "[123e65]", "[0e+1]", "[0e1]", "[ 4]", "[-0.000000000000000000000000000001]", "[20e1]", "[-0]",
        "[-123]",
        "[-1]", "[1E22]", "[1E-2]", "[1E+2]", "[123e45]", "[123.456e78]", "[1e-2]", "[1e+2]", "[123]", "[123.456789]",
        #"{"asd":"sdf", "dfg":"fgh"}"#, #"{"asd":"sdf"}"#, "{}", #"{"":0}"#, #"{"foo\u0000bar": 42}"#,
        #"{ "min": -1.0e+28, "max": 1.0e+28 }"#, #"{"a":[]}"#, "{\n\"a\": \"b\"\n}", #"["\u0060\u012a\u12AB"]"#,
        #"["\uD801\udc37"]"#, #"["\ud83d\ude39\ud83d\udc8d"]"#, #"["\"\\\/\b\f\n\r\t"]"#, #"["\\u0000"]"#, #"["\""]"#,
        #"["a/*b*/c/*d//e"]"#, #"["\\a"]"#, #"["\\n"]"#, #"["\u0012"]"#, #"["\uFFFF"]"#, #"[ "asd"]"#,
        #"["\uDBFF\uDFFF"]"#,
        #"["new\u00A0line"]"#, "[\"\u{10FFFF}\"]", "[\"\u{FFFF}\"]", #"["\u0000"]"#, #"["\u002c"]"#, "[\"π\"]",
        #"["asd "]"#, #"" ""#, #"["\uD834\uDd1e"]"#, #"["\u0821"]"#, "[\"\u{2028}\"]", "[\"\u{2029}\"]",
        #"["\u0061\u30af\u30EA\u30b9"]"#,
        "[\"new\u{A0}line\"]", "[\"⍂㈴⍂\"]", "[\"\u{7F}\"]", "[\"a\u{7F}a\"]", #"["\u005C"]"#, #"["\u0022"]"#, "false",
        "42", "-0.1",
        "null", #""asd""#, "true", #""""#, "[\"a\"]\n", "[true]", " [] ", "\t\r\n{}", "[\"\u{FEFF}\"]", "\u{FEFF}{}",
        "\u{FEFF} [1]",
    ]

    static let refused: [String] = [
        "", " ", "[1 true]", #"["": 1]"#, #"[""],"#, "[,1]", "[1,,2]", #"["x",,]"#, #"["x"]]"#, #"["","#, #"["x""#,
        "[x", "[3[4]]",
        "[,]", "[-]", "[   , \"\"]", "[\"a\",\n4\n,1,", "[1,]", "[1,,]", "[*]", #"[""#, "[1,", "[1,\n1\n,1", "[{}",
        "[fals]", "[nul]", "[tru]", "[True]", "[nULL]", "[++1234]", "[+1]", "[+Inf]", "[-01]", "[-1.0.]", "[-2.]",
        "[-NaN]", "[.-1]",
        "[.2e-3]", "[0.1.2]", "[0.3e+]", "[0.3e]", "[0.e1]", "[0E+]", "[0E]", "[0e+]", "[0e]", "[1.0e+]", "[1.0e-]",
        "[1.0e]",
        "[1 000.0]", "[1eE2]", "[2.e+3]", "[2.e-3]", "[2.e3]", "[9.e+]", "[Inf]", "[NaN]", "[１]", "[1+2]", "[0x1]",
        "[0x42]",
        "[Infinity]", "[0e+-1]", "[-123.123foo]", "[-Infinity]", "[-foo]", "[- 1]", "[-012]", "[-.123]", "[-1x]",
        "[1ea]", "[1.]",
        "[.123]", "[1.2a-3]", "[1.8011670033376514H-308]", "[012]", "[00]", "01", "-", "1.", "1e", "+1", ".5",
        #"["x", truth]"#, #"{[: "x"}"#, #"{"x", null}"#, #"{"x"::"b"}"#, "{🇨🇭}", #"{"a":"a" 123}"#, "{key: 'value'}",
        #"{"a" b}"#,
        #"{:"b"}"#, #"{"a" "b"}"#, #"{"a":"#, #"{"a""#, "{1:1}", "{9999E9999:1}", "{null:null,null:null}",
        #"{"id":0,,,,,}"#,
        "{'a':0}", #"{"id":0,}"#, #"{"a":"b"}/**/"#, #"{"a":"b"}/**//"#, #"{"a":"b"}//"#, #"{"a":"b"}/"#,
        #"{"a":"b",,"c":"d"}"#,
        "{a: \"b\"}", #"{"a":"a"#, #"{ "foo" : "bar", "a" }"#, #"{"a":"b"}#"#, #"{"a":1"#, "{", "}", "{]", "{,}",
        "{\"a\":}",
        #"["\uD800\"]"#, #"["\uD800\u"]"#, #"["\uD800\u1"]"#, #"["\uD800\u1x"]"#, "[é]", #"["\x00"]"#, #"["\\\"]"#,
        "[\"\\\t\"]", "[\"\\🌀\"]", #"["\"]"#, #"["\u00A"]"#, #"["\uD834\uDd"]"#, #"["\uD800\uD800\x"]"#, #"["\a"]"#,
        #"["\uqqqq"]"#,
        #"[\u0020"asd"]"#, #"[\n]"#, #"""#, "['single quote']", "abc", #"["\"#, "[\"a\u{0}a\"]", "[\"new\nline\"]",
        "[\"\t\"]",
        #""\UA66D""#, #"""x"#, "<.>", "[<null>]", "[1]x", "[1]]", #"["asd]"#, "aå", "[True]", "1]", #"{"x": true,"#,
        "[][]", "]",
        "{}}", #"{"":"#, #"{"a":/*comment*/"b"}"#, #"{"a": true} "x""#, "['", "[,", "[{", "[\"a", #"["a""#, "{,", "{[",
        "{'a'", "{}#",
        "[\u{B}]", "[\u{C}]", "[\u{2060}]", "[\u{A0}]", "\u{FEFF}\u{FEFF}{}", " \u{FEFF}{}", "{}\u{FEFF}", "\u{FEFF}",
        "é", "*", "[1 2]",
        "{\"a\":1 \"b\":2}", "nulll", "tru", "\\u0031",
        #"["\uDC00"]"#, #"["\uD800"]"#, #"["\uD800x"]"#, #"["\uD800\n"]"#, #"["\uDC00\uD800"]"#, #"["\uD800\uD800"]"#,
        #"["\uD800\u0041"]"#, #"["\uDFFF\uDFFF"]"#, "{}\u{0}", "\u{0}", "[\"\u{1F}\"]", "[1\u{0}]", "// a\n{}", "{} {}",
    ]

    static let refusedBytes: [[UInt8]] = {
        let insides: [[UInt8]] = [
            [0xFF], [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF],
            [0xF4, 0x90, 0x80, 0x80],
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xED, 0xA0, 0x81, 0xED, 0xB0, 0x80], [0xC3],
            [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0xC3, 0x28], [0x41, 0xBF], [0xFE],
        ]
        let quoted = insides.map { [0x22] + $0 + [0x22] }
        let escaped = insides.map { Array(#""\n"#.utf8) + $0 + [0x22] }
        let names = quoted.map { Array("{".utf8) + $0 + Array(":1}".utf8) }
        let marks: [[UInt8]] = [
            [0xFE, 0xFF, 0x00, 0x7B, 0x00, 0x7D], [0xFF, 0xFE, 0x7B, 0x00, 0x7D, 0x00],
            [0xEF, 0xBB],
            [0x7B, 0x00, 0x7D, 0x00], [0xE5], [0x5B, 0xFF, 0x5D],
        ]
        return quoted + escaped + names + marks
    }()

    /// A text built from fragments that are often nearly right.
    static func random(using generator: inout SplitMix) -> [UInt8] {
        let fragments = [
            "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"b\"", "\"\\u00e9\"", "\"\\ud83d\\ude00\"", "\\", "1", "-1",
            "0", "1.5", "1e5",
            "true", "false", "null", " ", "\n", "é", "[1]", "{\"c\":2}", ".", "e", "\"\\n\"",
        ]
        if Bool.random(using: &generator) {
            let count = Int.random(in: 1...6, using: &generator)
            let text = (0..<count).map { _ in fragments[Int.random(in: 0..<fragments.count, using: &generator)] }
                .joined()
            return Array(text.utf8)
        }
        var bytes = randomValue(depth: 0, using: &generator).serialized()
        if Bool.random(using: &generator), !bytes.isEmpty {
            bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        return bytes
    }

    /// Whether a number in it is too large for Foundation, which refuses 1e500.
    static func overflowsDouble(_ value: JSONValue) -> Bool {
        switch value {
        case .number(let text): Double(text)?.isFinite != true
        case .array(let elements): elements.contains(where: overflowsDouble)
        case .object(let object): object.members.contains { overflowsDouble($0.value) }
        case .null, .bool, .integer, .string: false
        }
    }

    static func randomValue(depth: Int, using generator: inout SplitMix) -> JSONValue {
        switch Int.random(in: 0..<(depth < 4 ? 7 : 5), using: &generator) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &generator))
        case 3: return .number("\(Int.random(in: -99...99, using: &generator)).5e1")
        case 4: return .string(randomString(using: &generator))
        case 5:
            return .array(
                (0..<Int.random(in: 0...3, using: &generator)).map { _ in
                    randomValue(depth: depth + 1, using: &generator)
                })
        default:
            var object = JSONObject()
            for index in 0..<Int.random(in: 0...3, using: &generator) {
                object[randomString(using: &generator) + "\(index)"] = randomValue(depth: depth + 1, using: &generator)
            }
            return .object(object)
        }
    }

    private static func randomString(using generator: inout SplitMix) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\u{0}", "\n", "\u{1F}", "\u{7F}", "é", "€", "😀", "\u{10FFFF}",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...5, using: &generator) {
            text.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
        }
        return String(text)
    }
}

/// A seeded generator (SplitMix64), so that a failing run can be repeated.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
