/// A date of birth as a caller gives it: complete or in part. `description` is redacted, because it is personal data.
package struct PartialDate: Sendable, Equatable, CustomStringConvertible {
    package let text: String
    private let form: Form

    private enum Form: Sendable {
        case whole, yearAndMonth, monthAndDay
    }

    /// `nil` unless `YYYY-MM-DD`, `YYYY-MM` or `MM-DD`: valid days of the calendar, from 1900 on. `02-29` is valid.
    package init?(_ text: String) {
        let whole: String
        switch text.utf8.count {
        case 10: (form, whole) = (.whole, text)
        case 7: (form, whole) = (.yearAndMonth, text + "-01")
        // 2000 represents any leap year.
        case 5: (form, whole) = (.monthAndDay, "2000-" + text)
        default: return nil
        }
        guard Person.isDate(whole) else { return nil }
        self.text = text
    }

    /// Whether the given parts equal those of `dob`, which is complete. The time does not depend on where they differ.
    package func matches(_ dob: String) -> Bool {
        guard Person.isDate(dob) else { return false }
        let known = dob.utf8
        let part =
            switch form {
            case .whole: Array(known)
            case .yearAndMonth: Array(known.prefix(7))
            case .monthAndDay: Array(known.suffix(5))
            }
        return constantTimeEqual(Array(text.utf8), part)
    }

    package var description: String { "<date>" }
}
