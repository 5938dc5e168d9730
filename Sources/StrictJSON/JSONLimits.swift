/// What a JSON text may use up. Its size is the caller's business.
package struct JSONLimits: Sendable {
    /// Arrays and objects inside one another, the outermost included. The parser recurses, so this bounds the stack.
    package var maxDepth: Int

    package init(maxDepth: Int = 32) {
        self.maxDepth = maxDepth
    }

    package static let `default` = JSONLimits()
}
