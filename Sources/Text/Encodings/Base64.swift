/// Base64 with padding (RFC 4648 section 4).
package enum Base64 {
    private static let alphabet = Base64Alphabet(digits62And63: "+/")

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        alphabet.append(bytes, to: &text)
        text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: (3 - bytes.count % 3) % 3))
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes of a text in its only canonical form; `nil` for any other text.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var digits = Array(text)[...]
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        return alphabet.decode(digits)
    }
}
