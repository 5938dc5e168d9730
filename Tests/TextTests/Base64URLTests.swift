import Testing
import Text

/// RFC 4648 section 5, one spelling for each byte string.
@Suite struct Base64URLTests {
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func `has the spelling of RFC 4648 section 10, without padding`(plain: String, text: String) {
        #expect(Base64URL.encode(Array(plain.utf8)) == text)
        #expect(Base64URL.decode(text) == Array(plain.utf8))
    }

    @Test func `reads back every byte at every place`() {
        for count in 0...16 {
            for byte in UInt8.min...UInt8.max {
                for place in 0..<max(1, count) {
                    var bytes = [UInt8](repeating: 0xA5, count: count)
                    if count > 0 { bytes[place] = byte }
                    #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
                }
            }
        }
    }

    @Test func `reads no other character, wherever it stands`() {
        let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        for count in [2, 3, 4, 6, 7, 8] {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var text = [UInt8](repeating: UInt8(ascii: "A"), count: count)
                    text[place] = byte
                    // A last character may have bits that belong to no byte.
                    let isLoose = place == count - 1 && count % 4 != 0
                    let isRead = Base64URL.decode(text[...]) != nil
                    #expect(isLoose ? !isRead || alphabet.contains(byte) : isRead == alphabet.contains(byte))
                }
            }
        }
    }

    @Test(arguments: ["A", "AAAAA", "AB", "AAB", "AP", "AA==", "AAAA=", "A A", "AA\n", "AAé"])
    func `reads no second spelling`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `reads a slice that does not begin at 0`() {
        #expect(Base64URL.decode(Array("..Zm9vYg".utf8)[2...]) == Array("foob".utf8))
    }

    @Test func `reads back every length and byte, and only one spelling`() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 251) }
            let text = Base64URL.encode(bytes)
            #expect(Base64URL.decode(text) == bytes)
            for last in UInt8.min...UInt8.max where text.utf8.last != last && !text.isEmpty {
                let other = Base64URL.decode(String(decoding: Array(text.utf8.dropLast()) + [last], as: UTF8.self))
                #expect(other != bytes)
            }
        }
    }

    @Test(arguments: ["A", "AAAAA", "AB", "AAB", "AA=", "AA==", "A A", "AA\n", "+/", "é", "AAA.", "\u{0}\u{0}", "_-9"])
    func `refuses what no encoder writes`(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }

    @Test func `writes the digits that URLs allow`() {
        #expect(Base64URL.encode([0xFB, 0xFF, 0xFE]) == "-__-")
    }
}
