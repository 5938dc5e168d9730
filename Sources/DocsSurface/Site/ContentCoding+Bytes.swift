internal import CCompression
internal import Glibc
internal import SurfaceKit

extension ContentCoding {
    /// The bytes in this coding; `nil`: out of memory.
    func coded(_ bytes: [UInt8]) -> [UInt8]? {
        var count = 0
        let coded = bytes.withUnsafeBufferPointer { source in
            switch self {
            case .gzip: ccompression_gzip(source.baseAddress, source.count, &count)
            case .brotli: ccompression_brotli(source.baseAddress, source.count, &count)
            }
        }
        guard let coded else { return nil }
        defer { free(coded) }
        return Array(UnsafeBufferPointer(start: coded, count: count))
    }
}
