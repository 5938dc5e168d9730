internal import SurfaceKit
internal import Text

/// The `meta` of the vendor's lists.
enum PageMeta {
    /// The position of a page in its list.
    struct Place: Sendable {
        let url: String
        /// The query of the request, as it came.
        var query = ""
        var page = 0
        var pageSize = 50
        /// The SID after which the next page begins; `nil`: this is the last page.
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
    ///   - name: the name of the schema in the API description.
    ///   - key: the name of the member that has the list.
    static func reply(_ name: String, of key: String) -> Reply<Place> {
        Reply<Place>(name: name) {
            ReplyMember.always("page", .integer(0...Int.max), "The number of the page. The first page is 0.") {
                $0.page
            }
            ReplyMember.always(
                "page_size", .integer(1...1000), "PageSize of the call, or 50. Always 50 for a list that has one page."
            ) { $0.pageSize }
            ReplyMember.always("first_page_url", .text(.text(format: "uri")), "The URL of the first page.") {
                $0.url(of: 0)
            }
            ReplyMember.null("previous_page_url", "Always null: no page has the URL of the page before.")
            ReplyMember.always("url", .text(.text(format: "uri")), "The URL of this page, without its PageToken.") {
                $0.url(of: $0.page)
            }
            ReplyMember.always("next_page_url", .textOrNull, "The URL of the next page. null: this is the last page.") {
                place in
                place.next.map { place.url(of: place.page + 1, $0) }
            }
            ReplyMember.always("key", .text(.choice([key])), "The name of the member that has the list.") { _ in key }
        }
    }
}
