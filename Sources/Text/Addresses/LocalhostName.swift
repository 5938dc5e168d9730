/// Names that mean this machine and cannot be registered (RFC 6761 section 6.3).
package enum LocalhostName {
    private static let top = Array("localhost".utf8)
    private static let longest = 253

    /// Whether a host, in lower case and without a port, is `localhost` or a name under `.localhost`.
    package static func isOne(_ host: Substring.UTF8View) -> Bool {
        guard host.count <= longest, host.suffix(top.count).elementsEqual(top) else { return false }
        let under = host.dropLast(top.count)
        guard let mark = under.last else { return true }
        let labels = under.dropLast().split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return mark == UInt8(ascii: ".")
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy { $0.isLetterOrDigit || "-_".utf8.contains($0) }
            }
    }
}
