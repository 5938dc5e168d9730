/// Why a certificate, its key or the authorities of clients cannot be used, and what to do about it. The text names
/// files and names in certificates, never the content of a key.
package struct TLSFault: Error, Sendable, Equatable {
    /// Which of the files is meant.
    package enum File: Sendable, Equatable {
        case certificate, key, clientAuthorities
    }

    package let file: File
    package let reason: String
}
