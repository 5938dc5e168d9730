import COpenSSL
internal import Glibc

/// Key material: never printed, locked in memory if the system allows it, so that it is not swapped to disk, and wiped
/// when the last reference is released (DAT-08).
package final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    // Sendable because the memory is written in `init` and `deinit` only.
    private let memory: UnsafeMutableRawBufferPointer
    package let count: Int

    private static let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))

    /// Allocates whole pages, because locks apply to pages and are not counted. There are only a handful of secrets.
    package init(_ bytes: [UInt8]) {
        count = bytes.count
        let pages = max(1, (count + Self.pageBytes - 1) / Self.pageBytes)
        memory = .allocate(byteCount: pages * Self.pageBytes, alignment: Self.pageBytes)
        // Refused over RLIMIT_MEMLOCK: the secret is then in unlocked memory.
        mlock(memory.baseAddress, memory.count)
        memory.copyBytes(from: bytes)
    }

    deinit {
        OPENSSL_cleanse(memory.baseAddress, memory.count)
        munlock(memory.baseAddress, memory.count)
        memory.deallocate()
    }

    package func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(rebasing: memory[..<count]))
    }

    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
