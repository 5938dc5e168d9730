internal import SurfaceKit

/// A page of the site without its frame.
struct SitePage: Sendable {
    let address: String
    let title: String
    let html: HTML
    /// The surface whose calls the navigation shows; `nil`: the page is a guide.
    var document: String?
    /// Second-level headings, for the list at the top of a long page.
    var contents: [(anchor: String, heading: String)] = []
}

/// One search result: a section of a guide, or a call.
struct SearchEntry: Sendable {
    let address: String
    let title: String
    let text: String
}
