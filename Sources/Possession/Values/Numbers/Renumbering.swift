/// A country that prefixed all its numbers with digits at once, so that the length of a number shows whether it is the
/// old form.
///
/// A number in its old form is read as the new one. Digests that find stored rows are computed from the old form. So
/// rows from before the change are found by either form, and none has to be rewritten.
///
/// Only changes after October 2022 are listed. The oldest numbering plan that this program has used ends then, so no
/// row has a number that was old at that time. A change whose new digits depend on the operator (Côte d'Ivoire, 2021:
/// 01, 05 or 07) cannot be listed: numbers had been ported, and the old form does not show their operator.
struct Renumbering {
    /// Including the `+`.
    private let callingCode: String
    /// ISO 3166-1.
    private let region: String
    /// Number of digits after the calling code, before the change.
    private let formerDigits: Int
    /// Digits that now come before them.
    private let prefix: String

    private static let all = [
        // 30 November 2024: ten digits, `01` before the former eight (ARCEP Bénin).
        Renumbering(callingCode: "+229", region: "BJ", formerDigits: 8, prefix: "01")
    ]

    /// - Parameter e164: `+` and digits.
    /// - Returns: `nil`: the number was not renumbered, or is already in its new form.
    static func newForm(of e164: [UInt8]) -> String? {
        for change in all {
            let code = change.callingCode.utf8
            guard e164.count == code.count + change.formerDigits, e164.starts(with: code) else { continue }
            return change.callingCode + change.prefix + String(decoding: e164.dropFirst(code.count), as: UTF8.self)
        }
        return nil
    }

    /// The reverse of `newForm`.
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

    /// As above, for digits in national form.
    static func newForm(ofNational digits: String, in region: String) -> String? {
        for change in all
        where change.region.utf8.elementsEqual(region.utf8) && digits.utf8.count == change.formerDigits {
            return change.callingCode + change.prefix + digits
        }
        return nil
    }
}
