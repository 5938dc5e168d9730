internal import Possession

/// A number in its parts, as the vendor has them.
extension PhoneNumber {
    /// With the plus.
    var countryCode: String { "+" + callingCode }
    var nationalNumber: String { String(e164.dropFirst(1 + callingCode.utf8.count)) }
}
