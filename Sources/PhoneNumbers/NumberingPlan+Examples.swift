internal import CPhoneNumber
internal import Possession

/// The regions of the library, and example numbers of each kind.
extension NumberingPlan {
    /// Every region the library has a plan for, sorted.
    package static func libraryRegions() -> [String] {
        guard let library = PlanInUse.ofProgram.library else { return [] }
        var letters = [CChar](repeating: 0, count: 4096)
        let count = cphonenumber_regions(library.handle, &letters, letters.count)
        guard count < letters.count else { return [] }
        let text = letters.prefix(count).map { UInt8(bitPattern: $0) }
        return stride(from: 0, to: text.count - 1, by: 2).map { String(decoding: text[$0...$0 + 1], as: UTF8.self) }
    }

    /// One valid number of each kind that exists in `region`.
    package static func examples(in region: String) -> [Reading] {
        guard let library = PlanInUse.ofProgram.library else { return [] }
        return (Int32(CPHONENUMBER_FIXED_LINE)..<Int32(CPHONENUMBER_UNKNOWN)).compactMap { type in
            var e164 = [CChar](repeating: 0, count: Int(CPHONENUMBER_E164_SIZE))
            guard cphonenumber_example(library.handle, region, type, &e164) == CPHONENUMBER_VALID else { return nil }
            let text = String(decoding: e164.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return PhoneNumber(e164: text).map { Reading(number: $0, kind: NumberKind(libraryType: type)) }
        }
    }
}
