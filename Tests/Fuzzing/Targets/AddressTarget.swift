internal import Possession
internal import Text

extension FuzzTarget {
    /// Addresses, ranges, URLs, identifiers and dates: short texts, the first byte says of which kind. What is taken and
    /// written in the canonical form is the same again.
    static let addresses = FuzzTarget("addresses", maxBytes: 512) { bytes in
        var choices = Choices(bytes)
        let kind = choices.number(below: 8)
        let text = choices.text()
        switch kind {
        case 0:
            guard let address = IPAddress(text) else { return }
            require(IPAddress(address.text) == address, "an address comes back")
            require(hop(address.text) == address, "and as a hop")
        case 1:
            guard let address = hop(text) else { return }
            let written = address.isIPv4 ? "\(address.text):65535" : "[\(address.text)]:65535"
            require(hop(written) == address, "a hop comes back with a port")
        case 2:
            guard let range = try? AddressRange(text) else { return }
            require(range.contains(range.first), "a range holds its first address")
            if range.length < 128 { require((try? AddressRange(range.text)) == range, "a range comes back") }
        case 3:
            guard let ranges = try? AddressRanges(list: text) else { return }
            require((try? AddressRanges(list: ranges.text)) == ranges, "a list comes back")
        case 4:
            guard let url = PublicURL.canonical(text) else { return }
            require(PublicURL.canonical(url) == url, "canonical once")
            require(!url.utf8.contains { $0 <= 0x20 || $0 >= 0x7F || $0 == UInt8(ascii: "@") }, "an authority only")
            _ = (PublicURL.isConfidential(url), PublicURL.isPrivate(url), PublicURL.domain(url))
        case 5:
            guard let target = try? FinalTargetURL(text) else { return }
            let with = FinalTargetURL.text(target.text, succeeded: true, authID: AuthID(high: 1, low: 2))
            let again = FinalTargetURL.text(with, succeeded: true, authID: AuthID(high: 1, low: 2))
            require(again == with, "the outcome is there once")
            _ = (target.isAllowed(by: TenantRules()), target.isReturnPage(of: TenantRules()))
        case 6:
            if let id = AuthID(text) {
                require(AuthID(id.text) == id && id.text == text.lowercased(), "an id comes back")
            }
            if let id = ClientID(text) { require(id.text.utf8.elementsEqual(text.utf8), "a client id is its text") }
            if let name = ProductName(text) { require(name.text.utf8.elementsEqual(text.utf8), "a name is its text") }
        default:
            if Person.isDate(text) { require(PartialDate(text)?.matches(text) == true, "a whole date matches itself") }
            if let date = PartialDate(text) { require(date.text.utf8.elementsEqual(text.utf8), "a date is its text") }
            if let ssn = PartialSSN(text), Person.isSSN(text) { require(ssn.matches(text), "a number matches itself") }
        }
    }

    private static func hop(_ text: String) -> IPAddress? {
        let bytes = Array(text.utf8)
        return IPAddress(hop: bytes.span)
    }
}
