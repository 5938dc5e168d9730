/// A successful response.
package struct Answer: Sendable {
    package let status: Int
    package let about: String
    package var content: Content?
    /// Browsers get a page instead of the content.
    package var isPageForBrowsers: Bool
    /// Contents of other types that may replace the content.
    package var otherContents: [Content] = []
    /// Header fields that always come with it.
    package var headers: [String]

    package init(
        status: Int, about: String, content: Content? = nil, isPageForBrowsers: Bool = false, headers: [String] = []
    ) {
        self.status = status
        self.about = about
        self.content = content
        self.isPageForBrowsers = isPageForBrowsers
        self.headers = headers
    }
}
