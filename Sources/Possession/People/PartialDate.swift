/// A date of birth as a caller gives it: whole, or a part of it. `description` is redacted: it is personal data.
package struct PartialDate: Sendable, Equatable, CustomStringConvertible {
    package let text: String
    private let form: Form

    private enum Form: Sendable {
        case whole, yearAndMonth, monthAndDay
    }

    /// `nil` unless `YYYY-MM-DD`, `YYYY-MM` or `MM-DD`: days of the calendar, from the year 1900 on. `02-29` is one.
    package init?(_ text: String) {
        let whole: String
        switch text.utf8.count {
        case 10: (form, whole) = (.whole, text)
        case 7: (form, whole) = (.yearAndMonth, text + "-01")
        // 2000 stands for any leap year.
        case 5: (form, whole) = (.monthAndDay, "2000-" + text)
        default: return nil
        }
        guard Person.isDate(whole) else { return nil }
        self.text = text
    }

    /// Whether the parts given are those of `dob`, which is whole. The work does not depend on where the two differ.
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
