import Foundation

/// Random bytes and the forms they are sent in.
enum Bytes {
    /// - Parameter count: a multiple of eight.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count / 8).flatMap { _ in withUnsafeBytes(of: generator.next()) { Array($0) } }
    }

    /// A UUID version 7 (RFC 9562 section 5.7), so that rows are added at the end of every index.
    static func timeOrderedID(at now: Date) -> UUID {
        let milliseconds = UInt64(now.timeIntervalSince1970 * 1000)
        var bytes = random(16)
        for index in 0..<6 { bytes[index] = UInt8(truncatingIfNeeded: milliseconds >> (40 - 8 * UInt64(index))) }
        bytes[6] = bytes[6] & 0x0F | 0x70
        bytes[8] = bytes[8] & 0x3F | 0x80
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension [UInt8] {
    var base64URL: String {
        Data(self).base64EncodedString()
            .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}

extension UUID {
    var data: Data { withUnsafeBytes(of: uuid) { Data($0) } }
    var text: String { uuidString.lowercased() }
}
