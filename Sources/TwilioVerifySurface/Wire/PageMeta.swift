internal import SurfaceKit
internal import Text

/// The `meta` of the vendor's lists.
enum PageMeta {
    /// Where a page stands in its list.
    struct Place: Sendable {
        let url: String
        /// The query of the request, as it came.
        var query = ""
        var page = 0
        var pageSize = 50
        /// The last entry before the next page; `nil`: this page is the last one.
        var next: String?

        fileprivate func url(of page: Int, _ token: String? = nil) -> String {
            let own = ["Page=", "PageSize=", "PageToken="]
            let filters = query.utf8.split(separator: UInt8(ascii: "&")).map { String(Substring($0)) }
                .filter { pair in !own.contains { pair.begins(with: $0) } }
            let place = ["PageSize=\(pageSize)", "Page=\(page)"] + (token.map { ["PageToken=\($0)"] } ?? [])
            return url + "?" + (filters + place).joined(separator: "&")
        }
    }

    /// - Parameters:
    ///   - name: of its schema in the document.
    ///   - key: the member that has the list.
    static func reply(_ name: String, of key: String) -> Reply<Place> {
        Reply<Place>(name: name) {
            ReplyMember.always("page", .integer(0...Int.max)) { $0.page }
            ReplyMember.always("page_size", .integer(1...1000)) { $0.pageSize }
            ReplyMember.always("first_page_url", .text(.text(format: "uri"))) { $0.url(of: 0) }
            ReplyMember.null("previous_page_url")
            ReplyMember.always("url", .text(.text(format: "uri"))) { $0.url(of: $0.page) }
            ReplyMember.always("next_page_url", .textOrNull) { place in
                place.next.map { place.url(of: place.page + 1, $0) }
            }
            ReplyMember.always("key", .text(.choice([key]))) { _ in key }
        }
    }
}
