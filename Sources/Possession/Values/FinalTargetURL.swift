internal import Text

/// URL that the phone opens after an instant link: absolute, on a host that the tenant registered (API-12, contract
/// section 8).
///
/// The characters are limited to `A-Z a-z 0-9 - . _ + = / : ?`. This excludes user information, percent escapes,
/// backslashes and brackets, so that the host can be found without a general URL parser. If the page gets a code
/// (`Form.redirect`), `& % ~` may follow the host.
package struct FinalTargetURL: Sendable, Equatable {
    /// Use of the URL. It decides the maximum length and the allowed characters.
    package enum Form: Sendable {
        /// The page at the end of an instant link.
        case ending
        /// The page that gets the code of a link, which may have several query members.
        case redirect

        package var maxCharacters: Int {
            switch self {
            case .ending: FinalTargetURL.maxCharacters
            case .redirect: 1_024
            }
        }

        fileprivate func allows(_ byte: UInt8) -> Bool {
            switch byte {
            case 48...57, 65...90, 97...122: true
            case _ where "-._+=/:?".utf8.contains(byte): true
            default: self == .redirect && "&%~".utf8.contains(byte)
            }
        }
    }

    package static let maxCharacters = 128

    package enum Defect: Error, Sendable, Equatable { case tooLong, character, form, scheme, host }

    package let text: String
    let scheme: String
    let host: String

    /// - Throws: the first rule the text breaks, as a sentence part for an error message.
    package init(_ text: String, as form: Form = .ending) throws(Defect) {
        guard text.utf8.count <= form.maxCharacters else { throw .tooLong }
        guard text.utf8.allSatisfy(form.allows) else { throw .character }
        guard let separator = text.firstRange(of: "://") else { throw .form }
        scheme = text[..<separator.lowerBound].lowercased()
        guard scheme == "https" || scheme == "http" else { throw .scheme }
        let authority = text[separator.upperBound...].prefix { $0 != "/" && $0 != "?" }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, Self.isHost(name) else { throw .host }
        if parts.count == 2 {
            let isPlain = parts[1].utf8.count <= 5 && parts[1].utf8.allSatisfy { (48...57).contains($0) }
            guard isPlain, let port = Int(parts[1]), (1...65_535).contains(port) else { throw .host }
        }
        host = name.lowercased()
        self.text = text
    }

    /// Whether `rules` allow a link to end here: https on a registered host, exact or a whole-label suffix
    /// (`*.example.com`). If any host is allowed, also http on loopback.
    package func isAllowed(by rules: TenantRules) -> Bool {
        if rules.anyFinalTargetHost {
            return scheme == "https" || ["localhost", "127.0.0.1"].contains(host)
        }
        return isListed(by: rules)
    }

    /// Why it is not allowed, as a sentence part for an error message.
    package func refusal(by rules: TenantRules) -> String {
        guard scheme == "http" else { return "names a host that is not registered for this client" }
        return rules.anyFinalTargetHost
            ? "must be https; http is taken on localhost and 127.0.0.1 only" : "must be https"
    }

    /// Whether it is https on a host in `rules`.
    package func isListed(by rules: TenantRules) -> Bool {
        scheme == "https"
            && rules.finalTargetHosts.contains { registered in
                if registered.hasPrefix("*.") {
                    return host.hasSuffix(registered.dropFirst().lowercased())
                }
                return host == registered.lowercased()
            }
    }

    /// Whether Mobile Auth may return to it: a page that the tenant registered, compared byte by byte (RFC 9700 section
    /// 4.1). If any final target is allowed, any such page.
    package func isReturnPage(of rules: TenantRules) -> Bool {
        if rules.anyFinalTargetHost { return isAllowed(by: rules) }
        return scheme == "https" && rules.mobileAuthReturnURLs.contains { $0.utf8.elementsEqual(text.utf8) }
    }

    /// The text with `asc` and `authId` in its query; other members of the query are kept (client protocol 4.9).
    package static func text(_ text: String, succeeded: Bool, authID: AuthID) -> String {
        self.text(text, with: [("asc", "\(succeeded)"), ("authId", authID.text)])
    }

    /// The text with `code` in its query; members with other names are kept.
    package static func text(_ text: String, code: String) -> String { self.text(text, with: [("code", code)]) }

    private static func text(_ text: String, with members: [(name: String, value: String)]) -> String {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let kept = (parts.count > 1 ? parts[1] : "").split(separator: "&").filter { member in
            // The reader of the query decodes names: `%63ode` is `code`.
            let name = PercentCoding.decode(member.prefix { $0 != "=" }.utf8) ?? Array(member.utf8)
            return !members.contains { $0.name.utf8.elementsEqual(name) }
        }
        let query = kept.map(String.init) + members.map { "\($0.name)=\($0.value)" }
        return parts[0] + "?" + query.joined(separator: "&")
    }

    private static func isHost(_ name: Substring) -> Bool {
        let labels = name.split(separator: ".", omittingEmptySubsequences: false)
        return !labels.isEmpty
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { byte in
                        switch byte {
                        case 48...57, 65...90, 97...122, UInt8(ascii: "-"): true
                        default: false
                        }
                    }
            }
    }
}
