/// An error of the client protocol in its wire form.
package struct ErrorEntry: Sendable {
    package let status: Int
    package let code: Int
    package let name: String
    package let message: String

    package init(_ status: Int, _ name: String, _ code: Int, _ message: String) {
        self.status = status
        self.name = name
        self.code = code
        self.message = message
    }
}
