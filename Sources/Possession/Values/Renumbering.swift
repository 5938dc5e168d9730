/// A country that put digits before all its numbers at once, so that the length of a number tells the old form from the new.
///
/// A number in its old form is read as the new one. The digests by which stored rows are found go by the old form: so
/// those that were stored before are found by either, and none has to be written again.
///
/// Listed are changes after October 2022, when the oldest numbering plan ends that this program has read numbers by: no row
/// has a number that was old by then. A change where the new digits depend on the operator (Côte d'Ivoire, 2021: 01, 05 or
/// 07) cannot be listed: numbers had been ported by then, and the old form does not tell whose they were.
struct Renumbering {
    /// With its `+`.
    private let callingCode: String
    /// ISO 3166-1.
    private let region: String
    /// Number of digits after the calling code, before the change.
    private let formerDigits: Int
    /// Digits that stand before them now.
    private let prefix: String

    private static let all = [
        // 30 November 2024: ten digits, `01` before the eight of before (ARCEP Bénin).
        Renumbering(callingCode: "+229", region: "BJ", formerDigits: 8, prefix: "01")
    ]

    /// - Parameter e164: `+` and digits.
    /// - Returns: `nil`: the number was not renumbered, or has its new form.
    static func newForm(of e164: [UInt8]) -> String? {
        for change in all {
            let code = change.callingCode.utf8
            guard e164.count == code.count + change.formerDigits, e164.starts(with: code) else { continue }
            return change.callingCode + change.prefix + String(decoding: e164.dropFirst(code.count), as: UTF8.self)
        }
        return nil
    }

    /// The way back.
    static func formerForm(of e164: String) -> String? {
        for change in all {
            let beginning = change.callingCode + change.prefix
            guard e164.utf8.count == beginning.utf8.count + change.formerDigits,
                e164.utf8.starts(with: beginning.utf8)
            else { continue }
            return change.callingCode + String(decoding: e164.utf8.dropFirst(beginning.utf8.count), as: UTF8.self)
        }
        return nil
    }

    /// The same for digits in national form.
    static func newForm(ofNational digits: String, in region: String) -> String? {
        for change in all
        where change.region.utf8.elementsEqual(region.utf8) && digits.utf8.count == change.formerDigits {
            return change.callingCode + change.prefix + digits
        }
        return nil
    }
}
