internal import StrictJSON
internal import SurfaceKit
internal import Text

/// Finds a misspelt member when a required one is missing. Unknown members are ignored, so otherwise a caller would be
/// told that a member is missing that it believes to have sent.
enum MisspeltMember {
    private static let maxBytes = 32

    /// The same defect, with the name of an unknown member that is similar to the missing one.
    static func named(in defect: FieldDefect, _ fields: FieldReader, known: [String]) -> FieldDefect {
        guard defect == .missing(defect.field) else { return defect }
        let strangers = fields.object.members.lazy.map(\.name).filter { name in
            isPlain(name) && !name.isSame(as: defect.field) && !known.contains { $0.isSame(as: name) }
        }
        guard let slip = NearName.nearest(to: defect.field, among: strangers) else { return defect }
        return FieldDefect(defect.field, "is missing; \(slip) is not known: did you mean \(defect.field)?")
    }

    private static func isPlain(_ name: String) -> Bool {
        (1...maxBytes).contains(name.utf8.count)
            && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "_") }
    }
}
