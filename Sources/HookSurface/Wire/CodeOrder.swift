internal import Possession
internal import SurfaceKit
internal import Text

/// The order that every hook is turned into: a code, and the number that it goes to.
struct CodeOrder: Sendable {
    /// As the caller wrote it.
    var number = ""
    /// The member that holds it.
    var numberField = "to"
    var code: OTP?
    /// The member that holds the code.
    var codeField = "code"
    /// The person has proven the number to the caller before.
    var isConfirmed = false
    /// Whether there is a code to be sent. Some servers hand over messages that have none.
    var hasMessage = true
    /// The person's, as far as the caller tells it.
    var address: IPAddress?
}

extension Input where Value == OTP {
    /// A code that the caller has made. Letters are refused: templates, voice calls and fields of apps are made for digits.
    static var code: Input {
        Input<String>.text(.any).map(orFail: "must be 4 to 10 digits") { OTP($0) }
            .described(as: .text(pattern: "^[0-9]{4,10}$"))
    }
}

extension Input where Value == String {
    /// A number of a server that leaves its `+` out. The reader of numbers judges it.
    static var digits: Input { filledText(.hookNumber) }

    /// A number in E.164.
    static var number: Input { internationalNumber(.hookNumber) }
}

extension TextRule {
    fileprivate static let hookNumber = TextRule(maxCharacters: 64, alphabet: .phoneNumber)
}
