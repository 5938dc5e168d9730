internal import Possession
internal import SurfaceKit
internal import Text

/// The common form of all hooks: a code and its recipient.
struct CodeOrder: Sendable {
    /// The number as the caller wrote it.
    var number = ""
    /// The member of the call that has the number.
    var numberField = "to"
    var code: OTP?
    /// The member of the call that has the code.
    var codeField = "code"
    /// Whether the person has already proven the number to the caller.
    var isConfirmed = false
    /// Whether there is a code to send. Some servers also hand over messages without a code.
    var hasMessage = true
    /// The person's address, if the caller reports it.
    var address: IPAddress?
}

extension Input where Value == OTP {
    /// A code that the caller has made. Letters are refused, because templates, voice calls and input fields of apps
    /// expect digits.
    static var code: Input {
        Input<String>.text(.any).map(orFail: "must be 4 to 10 digits") { OTP($0) }
            .described(as: .text(pattern: "^[0-9]{4,10}$"))
    }
}

extension Input where Value == String {
    /// A number from a server that omits the `+`. The number's reader validates it.
    static var digits: Input { filledText(.hookNumber) }

    /// A number in E.164.
    static var number: Input { internationalNumber(.hookNumber) }
}

extension TextRule {
    fileprivate static let hookNumber = TextRule(maxCharacters: 64, alphabet: .phoneNumber)
}
