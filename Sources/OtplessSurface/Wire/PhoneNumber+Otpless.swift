internal import Possession

/// The parts of a number, as the vendor names them.
extension PhoneNumber {
    /// With the plus.
    var countryCode: String { "+" + callingCode }
    var nationalNumber: String { String(e164.dropFirst(1 + callingCode.utf8.count)) }
}
