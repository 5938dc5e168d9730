/// Literal IP addresses in an operator's configuration.
package enum IPLiteral {
    package static func isAddress(_ text: String) -> Bool { IPAddress(text) != nil }

    package static func isIPv6(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: ":")) && isAddress(text) }
}
