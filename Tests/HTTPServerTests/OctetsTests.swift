import Testing

@testable import HTTPServer

@Suite struct OctetsTests {
    @Test func `a field value ends at the same octet, wherever that stands`() {
        var wrong: [[UInt8]] = []
        for length in 0...24 {
            for octet in UInt8.min...UInt8.max {
                for place in 0..<length {
                    var octets = [UInt8](repeating: UInt8(ascii: "v"), count: length)
                    octets[place] = octet
                    let start = place / 3
                    let found = Octets.fieldValuePrefix(of: octets.span, from: start, to: length)
                    if found != octets[start...].prefix(while: Octets.isFieldValue).count { wrong.append(octets) }
                }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func `neighbours do not hide what ends a field value`() {
        var generator = SeededGenerator(seed: 7)
        let likely: [UInt8] = [0x00, 0x09, 0x1F, 0x20, 0x7E, 0x7F, 0x80, 0x9F, 0xA0, 0xFF]
        var wrong: [[UInt8]] = []
        for _ in 0..<5_000 {
            let octets = (0..<40).map { _ in likely.randomElement(using: &generator) ?? 0 }
            let found = Octets.fieldValuePrefix(of: octets.span, from: 1, to: 39)
            if found != octets[1..<39].prefix(while: Octets.isFieldValue).count { wrong.append(octets) }
        }
        #expect(wrong.isEmpty)
    }

    @Test func `one word has no blank, comma, control or opaque octet, wherever it stands`() {
        var wrong: [[UInt8]] = []
        for length in 1...17 {
            for octet in UInt8.min...UInt8.max {
                for place in 0..<length {
                    var octets = [UInt8](repeating: UInt8(ascii: "w"), count: length)
                    octets[place] = octet
                    let isPart = (0x21...0x7E).contains(octet) && octet != UInt8(ascii: ",")
                    if Octets.isOneWord(octets.span) != isPart { wrong.append(octets) }
                }
            }
        }
        #expect(wrong.isEmpty)
    }
}
