import Testing
import Text

@Suite struct LettersAndDigitsTests {
    @Test(arguments: [
        ([UInt8](), ""), ([0], "00"), ([61], "0z"), ([62], "10"), ([255], "47"), ([1, 0], "048"),
        ([UInt8](repeating: 0, count: 16), String(repeating: "0", count: 22)),
    ])
    func `writes bytes as a number in base 62, of one length for a size`(bytes: [UInt8], text: String) {
        #expect(LettersAndDigits.text(of: bytes) == text)
    }

    /// The largest number of each size still fits, and one digit fewer would not do.
    @Test(arguments: 1...64)
    func `has room for the largest number`(size: Int) {
        let largest = LettersAndDigits.text(of: [UInt8](repeating: 255, count: size))
        let next = LettersAndDigits.text(of: [1] + [UInt8](repeating: 0, count: size))
        #expect(largest.utf8.first != UInt8(ascii: "0"))
        #expect(next.utf8.count >= largest.utf8.count && next != largest)
        #expect(largest.utf8.allSatisfy { $0.isLetterOrDigit })
    }

    @Test func `tells apart what differs in one bit`() {
        let bytes = (0..<32).map { UInt8(truncatingIfNeeded: $0 * 37) }
        var texts = Set([LettersAndDigits.text(of: bytes)])
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << UInt8(bit)
                texts.insert(LettersAndDigits.text(of: other))
            }
        }
        #expect(texts.count == 1 + 256)
    }

    @Test func `makes bytes whose base64 has letters and digits only`() {
        for seed in UInt8(0)..<64 {
            let bytes = LettersAndDigits.bytesOfPlainBase64((0..<32).map { UInt8($0) &* 29 &+ seed &* 7 })
            #expect(bytes.count == 33)
            #expect(Base64.encode(bytes).utf8.allSatisfy { $0.isLetterOrDigit })
        }
    }
}
