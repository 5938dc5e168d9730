/// The default alphabet of GSM 03.38.
enum GSMAlphabet {
    /// Whether a text's ASCII bytes are its bytes in this alphabet as well.
    static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case 0x0A, 0x0D, 0x20...0x23, 0x25...0x3F, 0x41...0x5A, 0x61...0x7A: true
            default: false
            }
        }
    }
}
