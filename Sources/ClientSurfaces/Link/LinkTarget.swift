internal import SurfaceKit

/// A web address to which the phone may be redirected. The engine has checked its host; this is the last check before
/// it is written to a `Location` and a page: nothing that a browser would execute or interpret differently.
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
