import Testing
import Text

@Suite struct PercentCodingTests {
    @Test func `keeps the unreserved characters and what it is told to keep`() {
        let marks = (0x20...0x7E).map { UInt8($0) }.filter { !$0.isLetterOrDigit }
        let text = String(decoding: marks, as: UTF8.self)
        #expect(
            PercentCoding.encode(text)
                == "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C-.%2F%3A%3B%3C%3D%3E%3F%40%5B%5C%5D%5E_%60%7B%7C%7D~")
        #expect(PercentCoding.encode("/a b/%2F?é\u{0}\n", keeping: "/") == "/a%20b/%252F%3F%C3%A9%00%0A")
        #expect(PercentCoding.encode("AZaz09-._~") == "AZaz09-._~")
    }

    @Test func `reads every byte back`() {
        let text = String(decoding: (0...127).map { UInt8($0) }, as: UTF8.self) + "é😀"
        #expect(PercentCoding.decode(PercentCoding.encode(text)[...].utf8) == Array(text.utf8))
        #expect(PercentCoding.decodeForm(Array(PercentCoding.encode(text).utf8)[...]) == text)
    }

    @Test(arguments: [
        ("", ""), ("a%2Fb", "a/b"), ("%2f%2F", "//"), ("%252F", "%2F"), ("a+b", "a+b"), ("%C3%A9", "é"),
    ]) func `decodes once`(coded: String, plain: String) {
        #expect(PercentCoding.decode(coded[...].utf8) == Array(plain.utf8))
    }

    @Test(arguments: ["%", "%2", "a%", "a%4", "%g0", "%0g", "%%41", "% 1", "%+1", "%-1", "%\u{661}1"])
    func `refuses a cut or wrong triplet`(coded: String) {
        #expect(PercentCoding.decode(coded[...].utf8) == nil)
        #expect(PercentCoding.decodeForm(Array(coded.utf8)[...]) == nil)
    }

    @Test func `a form has blanks as plus signs, and UTF-8`() {
        #expect(PercentCoding.decodeForm(Array("a+b%2B+".utf8)[...]) == "a b+ ")
        #expect(PercentCoding.decodeForm(Array("%FF".utf8)[...]) == nil)
        #expect(PercentCoding.decode([0x25, 0x46, 0x46]) == [0xFF])
    }

    @Test func `knows the value of a hexadecimal digit`() {
        let values = (0...255).compactMap { UInt8($0).hexDigitValue }
        #expect(values == Array(0...9) + Array(10...15) + Array(10...15))
        #expect(UInt8(ascii: "0").hexDigitValue == 0 && UInt8(ascii: "A").hexDigitValue == 10)
        #expect(UInt8(ascii: "f").hexDigitValue == 15 && UInt8(ascii: "g").hexDigitValue == nil)
    }
}
