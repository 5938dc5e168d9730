import Foundation

/// Where keys are kept, by name. Names are lower-case letters, digits, dots and hyphens.
package protocol KeyVault: Sendable {
    func read(_ name: String) throws -> Data?
    /// Puts `data` where there is `old` (`nil`: where there is nothing), as one step.
    ///
    /// - Returns: what is there afterwards; another process may have been first.
    func put(_ data: Data, name: String, inPlaceOf old: Data?) throws -> Data
    func delete(_ name: String) throws
    func names() throws -> [String]
}
