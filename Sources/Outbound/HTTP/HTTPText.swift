/// The character classes of HTTP messages (RFC 9110 section 5).
enum HTTPText {
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether a byte may be in a field value: no control character except the tab.
    static func isTextByte(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F || byte == 0x09 }
}
