/// Why a certificate, its key or the client authorities cannot be used, and how to fix it. The text contains names of
/// files and names in certificates, never the content of a key.
package struct TLSFault: Error, Sendable, Equatable {
    /// The file that has the fault.
    package enum File: Sendable, Equatable {
        case certificate, key, clientAuthorities
    }

    package let file: File
    package let reason: String
}
