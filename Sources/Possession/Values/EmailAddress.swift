internal import Text

/// An e-mail address that this server can write to: `local@domain` in ASCII.
///
/// The local part is a dot-atom (RFC 5322 section 3.2.3), at most 64 bytes (RFC 5321 section 4.5.3.1.1). The domain has
/// at least two labels of letters, digits and hyphens (RFC 1123 section 2.1); names in other scripts are written as
/// A-labels (RFC 5890). The whole has at most 254 bytes. Quoted local parts, comments, address literals and control
/// characters are refused, so that an address is never more than one recipient in a header or a command.
///
///     EmailAddress("Ada.King@Example.COM")?.text    // Ada.King@example.com
///
/// Its description is the masked form.
package struct EmailAddress: Sendable, Hashable, CustomStringConvertible {
    package static let maxBytes = 254
    private static let maxLocalBytes = 64
    private static let maxLabelBytes = 63

    /// The form for messages: the domain in lower case, the local part as given.
    package let text: String
    /// The form for comparing, digests and limits: all in lower case.
    package let canonical: String

    /// `nil` if the text is not such an address.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maxBytes, let at = bytes.firstIndex(of: UInt8(ascii: "@")),
            Self.isLocal(bytes[..<at]), Self.isDomain(bytes[(at + 1)...])
        else { return nil }
        let domain = bytes[(at + 1)...].map(Self.lowered)
        self.text = String(decoding: bytes[...at] + domain, as: UTF8.self)
        canonical = String(decoding: bytes.map(Self.lowered), as: UTF8.self)
    }

    package static func == (left: EmailAddress, right: EmailAddress) -> Bool {
        left.canonical.isSame(as: right.canonical)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ByteText(canonical)) }

    /// In lower case.
    package var domain: String {
        String(decoding: text.utf8.drop { $0 != UInt8(ascii: "@") }.dropFirst(), as: UTF8.self)
    }

    /// `canonical` without the tag that many providers let their users add: `ada+shop@example.com` becomes
    /// `ada@example.com`. Only for limits: elsewhere they may be two people.
    package var withoutTag: String {
        let bytes = canonical.utf8
        let local = bytes.prefix { $0 != UInt8(ascii: "@") }
        let name = local.prefix { $0 != UInt8(ascii: "+") }
        guard !name.isEmpty, name.count < local.count else { return canonical }
        return String(decoding: Array(name) + Array(bytes.dropFirst(local.count)), as: UTF8.self)
    }

    /// For people and logs: the first letter of both parts, and the last label of the domain (`a***@e***.com`).
    package var masked: String {
        let domain = Array(domain.utf8)
        let last = domain.split(separator: UInt8(ascii: ".")).last ?? []
        return String(decoding: text.utf8.prefix(1), as: UTF8.self) + "***@"
            + String(decoding: domain.prefix(1), as: UTF8.self) + "***." + String(decoding: last, as: UTF8.self)
    }

    package var description: String { masked }

    // MARK: The grammar

    private static func isLocal(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard (1...maxLocalBytes).contains(bytes.count) else { return false }
        return bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { atom in
            !atom.isEmpty && atom.allSatisfy(isAtomByte)
        }
    }

    private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
        let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        // No top-level domain is a number: that would be an IP address (RFC 3696 section 2).
        return !last.allSatisfy { $0 >= 48 && $0 <= 57 }
    }

    private static func isLabel(_ label: ArraySlice<UInt8>) -> Bool {
        let hyphen = UInt8(ascii: "-")
        return (1...maxLabelBytes).contains(label.count) && label.first != hyphen && label.last != hyphen
            && label.allSatisfy { isAlphanumeric($0) || $0 == hyphen }
    }

    private static func isAtomByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-/=?^_`{|}~".utf8.contains(byte)
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: false
        }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte + 32 : byte }
}
