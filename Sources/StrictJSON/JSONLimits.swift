/// Limits on the parts of a JSON text. Its size is the caller's business.
package struct JSONLimits: Sendable {
    /// Arrays and objects inside one another, the outermost included. The parser recurses, so this bounds the stack.
    package var maxDepth: Int
    /// Members of one object. The largest documented one has about 40; clients may add their own.
    package var maxMembers = 256
    /// Members and elements altogether. A batch of 1000 items with 40 members each fits; a body of one MiB could have
    /// half a million otherwise, a dozen bytes of memory for each byte sent.
    package var maxValues = 65_536
    /// Bytes of a member name. The longest documented one has 33.
    package var maxNameBytes = 128

    /// Whether bytes that are no UTF-8, and halves of surrogate pairs, become U+FFFD in place of an error: for texts of
    /// strangers whose other members must not be lost for them.
    package var replacesBadText = false

    /// Members of any object that nobody reads. Their brackets and strings are matched, no other limit holds for them, and
    /// `null` is kept in their place.
    package var skippedNames: [String] = []

    package init(maxDepth: Int = 32) {
        self.maxDepth = maxDepth
    }

    /// For files of the operator, which may be large: only the depth is bounded.
    package static let trusted: JSONLimits = {
        var limits = JSONLimits()
        (limits.maxMembers, limits.maxValues, limits.maxNameBytes) = (.max, .max, .max)
        return limits
    }()

    package static let `default` = JSONLimits()
}
