internal import Text
internal import Glibc

/// `uri-host [ ":" port ]` of RFC 9110 section 7.2, as in `Host` and in absolute targets.
enum Authority {
    /// The authority in lower case; `nil` when it is invalid (HTTP-09).
    static func canonical(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let hostEnd = hostEnd(bytes), hostEnd > bytes.startIndex else { return nil }
        if hostEnd < bytes.endIndex {
            guard bytes[hostEnd] == UInt8(ascii: ":"), bytes[(hostEnd + 1)...].allSatisfy(Octets.isDigit) else {
                return nil
            }
        }
        guard bytes.contains(where: Octets.isUpperLetter) else { return String(decoding: bytes, as: UTF8.self) }
        return String(decoding: bytes.map(Octets.lowercased), as: UTF8.self)
    }

    /// The index after the host; `nil` when the host is invalid.
    private static func hostEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard bytes.first == UInt8(ascii: "[") else { return registeredNameEnd(bytes) }
        guard let close = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
        let literal = bytes[(bytes.startIndex + 1)..<close]
        return isIPv6(literal) || isFutureLiteral(literal) ? close + 1 : nil
    }

    /// `reg-name` and IPv4 (RFC 3986 section 3.2.2), up to a colon.
    private static func registeredNameEnd(_ bytes: ArraySlice<UInt8>) -> Int? {
        var index = bytes.startIndex
        while index < bytes.endIndex, bytes[index] != UInt8(ascii: ":") {
            if bytes[index] == UInt8(ascii: "%") {
                guard index + 2 < bytes.endIndex, bytes[index + 1].hexDigitValue != nil,
                    bytes[index + 2].hexDigitValue != nil
                else { return nil }
                index += 3
            } else {
                guard isNameOctet(bytes[index]) else { return nil }
                index += 1
            }
        }
        return index
    }

    /// `unreserved / sub-delims`.
    private static func isNameOctet(_ byte: UInt8) -> Bool {
        // The characters of tokens, except those that only tokens may have, plus those that only names may have.
        switch byte {
        case UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "|"): false
        case UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="): true
        default: byte.isTokenByte
        }
    }

    private static func isIPv6(_ literal: ArraySlice<UInt8>) -> Bool {
        // The longest form has 45 characters. The check also keeps zones and NUL from inet_pton.
        guard literal.count <= 45, literal.allSatisfy({ $0.hexDigitValue != nil || $0 == 0x3A || $0 == 0x2E }) else {
            return false
        }
        var address = in6_addr()
        return inet_pton(AF_INET6, String(decoding: literal, as: UTF8.self), &address) == 1
    }

    /// `"v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )`.
    private static func isFutureLiteral(_ literal: ArraySlice<UInt8>) -> Bool {
        guard let first = literal.first, first | 0x20 == UInt8(ascii: "v"),
            let dot = literal.firstIndex(of: UInt8(ascii: "."))
        else { return false }
        let version = literal[(literal.startIndex + 1)..<dot]
        let rest = literal[(dot + 1)...]
        return !version.isEmpty && version.allSatisfy { $0.hexDigitValue != nil } && !rest.isEmpty
            && rest.allSatisfy { isNameOctet($0) || $0 == UInt8(ascii: ":") }
    }
}
