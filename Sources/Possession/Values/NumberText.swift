/// Numbers as people type them (contract section 9).
package enum NumberText {
    /// The longest text that is read as a number: 15 digits and a separator beside each, in bytes.
    package static let maxBytes = 32

    /// The digits of a number, behind `+` if that stands before all of them.
    ///
    /// Blanks, dots, hyphens and round brackets are left out, so that all spellings of a number are one number. `nil`
    /// unless 4 to 15 ASCII digits remain: no letters, no extensions, no digits of other scripts.
    package static func digits(of text: String) -> String? {
        guard text.utf8.count <= maxBytes else { return nil }
        var plain: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "("), UInt8(ascii: ")"): continue
            case UInt8(ascii: "+") where plain.isEmpty: plain.append(byte)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): plain.append(byte)
            default: return nil
            }
        }
        let count = plain.first == UInt8(ascii: "+") ? plain.count - 1 : plain.count
        return (4...15).contains(count) ? String(decoding: plain, as: UTF8.self) : nil
    }
}
