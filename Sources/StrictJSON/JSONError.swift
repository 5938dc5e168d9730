/// Why a text is not acceptable JSON. Contains the place and the rule, never the input.
package struct JSONError: Error, Sendable, Equatable {
    package let reason: String
    /// Bytes from the start of the text.
    package let offset: Int
}
