package import Engine
internal import Possession

extension AuditForm {
    /// Sums in the place of hashes, for tests that ask whether lines are chained.
    package static let sums = AuditForm(
        line: { entry, number, previous in
            let words = [number.description, entry.event.rawValue, entry.result.rawValue]
            let time = entry.at.milliseconds
            return Array("\(words.joined(separator: " ")) \(time) \(previous.prefix(2))".utf8)
        },
        time: { line in
            let words = String(decoding: line, as: UTF8.self).split(separator: " ")
            return Int64(words[3]).map { Timestamp(milliseconds: $0) }
        }, hash: { sum($0, 1) },
        code: { sum($0, 2) })

    private static func sum(_ bytes: [UInt8], _ seed: UInt8) -> [UInt8] {
        var sum = [UInt8](repeating: seed, count: 32)
        for (index, byte) in bytes.enumerated() { sum[index % 32] = sum[index % 32] &* 31 &+ byte }
        return sum
    }
}
