internal import SurfaceKit

/// A web address that the phone may be sent to. The engine has checked its host; this is the last look before it
/// stands in a `Location` and in a page: nothing that a browser would run, and nothing it would read in another way.
struct LinkTarget: Sendable, Equatable {
    let text: String

    init?(_ text: String?) {
        guard let text, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\"'<>\\".utf8.contains($0) }),
            let separator = text.firstRange(of: "://")
        else { return nil }
        let scheme = text[..<separator.lowerBound].lowercased()
        let host = text[separator.upperBound...].first
        guard scheme == "https" || scheme == "http", let host, !"/?#".contains(host) else { return nil }
        self.text = text
    }
}
