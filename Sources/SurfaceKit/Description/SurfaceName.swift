/// A group of operations in the document. Each surface names its own.
package struct SurfaceName: Sendable, Equatable {
    package let text: String
    /// One sentence that says who calls it.
    package let about: String

    package init(_ text: String, about: String) {
        self.text = text
        self.about = about
    }
}
