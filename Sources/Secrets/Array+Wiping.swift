internal import Glibc

extension [UInt8] {
    /// Overwrites a secret that had to be in an array.
    package mutating func wipe() {
        withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
    }
}
