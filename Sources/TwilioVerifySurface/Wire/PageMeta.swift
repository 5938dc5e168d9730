internal import SurfaceKit

/// The `meta` of the vendor's lists. Lists here have one page.
enum PageMeta {
    /// - Parameters:
    ///   - name: of its schema in the document.
    ///   - key: the member that has the list.
    /// - Returns: written of the list's own URL.
    static func reply(_ name: String, of key: String) -> Reply<String> {
        Reply<String>(name: name) {
            ReplyMember.always("page", .integer(0...0)) { _ in 0 }
            ReplyMember.always("page_size", .integer(1...1000)) { _ in 50 }
            ReplyMember.always("first_page_url", .text(.text(format: "uri"))) { $0 }
            ReplyMember.null("previous_page_url")
            ReplyMember.always("url", .text(.text(format: "uri"))) { $0 }
            ReplyMember.null("next_page_url")
            ReplyMember.always("key", .text(.choice([key]))) { _ in key }
        }
    }
}
