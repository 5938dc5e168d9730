internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Finds the member that was probably meant for one that is missing: other members are ignored, so a slip of the pen would
/// otherwise be told as a missing member that the caller believes to have sent.
enum MisspeltMember {
    private static let maxBytes = 32

    /// The same defect, with the name of a member that no call knows and that is one slip away from the missing one.
    static func named(in defect: FieldDefect, _ fields: FieldReader, known: [String]) -> FieldDefect {
        guard defect == .missing(defect.field) else { return defect }
        let slip = fields.object.members.lazy.map(\.name).first { name in
            !name.isSame(as: defect.field) && !known.contains { $0.isSame(as: name) } && isPlain(name)
                && isNear(name, defect.field)
        }
        guard let slip else { return defect }
        return FieldDefect(defect.field, "is missing; \(slip) is not known: did you mean \(defect.field)?")
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...maxBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }

    /// One letter more, less or other, two neighbours swapped, or another case.
    private static func isNear(_ one: String, _ other: String) -> Bool {
        var one = lowercased(one)[...]
        var other = lowercased(other)[...]
        while let first = one.first, first == other.first {
            one = one.dropFirst()
            other = other.dropFirst()
        }
        while let last = one.last, last == other.last {
            one = one.dropLast()
            other = other.dropLast()
        }
        let isSwap = one.count == 2 && other.count == 2 && one.first == other.last && one.last == other.first
        return isSwap || one.count <= 1 && other.count <= 1
    }

    private static func lowercased(_ text: String) -> [UInt8] {
        text.utf8.map { (65...90).contains($0) ? $0 + 32 : $0 }
    }
}
