/// Limits on the parts of a JSON text. The caller limits its size.
package struct JSONLimits: Sendable {
    /// Nesting depth of arrays and objects, including the outermost. The parser recurses, so this limits the stack.
    package var maxDepth: Int
    /// Members of one object. The largest documented one has about 40; clients may add their own.
    package var maxMembers = 256
    /// Members and elements in total. A batch of 1000 items with 40 members each fits. Without this limit, a body of
    /// one MiB could have half a million values, which take a dozen bytes of memory for each byte sent.
    package var maxValues = 65_536
    /// Bytes of a member name. The longest documented one has 33.
    package var maxNameBytes = 128

    /// Whether invalid UTF-8 and lone surrogates become U+FFFD instead of an error: for texts of other parties, whose
    /// other members must not be lost because of them.
    package var replacesBadText = false

    /// Members of any object whose value is skipped: brackets and strings are matched, no other limit applies, and the
    /// value becomes `null`.
    package var skippedNames: [String] = []

    package init(maxDepth: Int = 32) {
        self.maxDepth = maxDepth
    }

    /// For the operator's files, which may be large: only the depth is limited.
    package static let trusted: JSONLimits = {
        var limits = JSONLimits()
        (limits.maxMembers, limits.maxValues, limits.maxNameBytes) = (.max, .max, .max)
        return limits
    }()

    package static let `default` = JSONLimits()
}
