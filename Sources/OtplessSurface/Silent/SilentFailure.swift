internal import Possession

/// The reason of a failed silent proof: the vendor's code, and a text for people.
enum SilentFailure: String, Sendable, CaseIterable {
    case failed = "SP40003"
    case operatorUnsupported = "SP40005"
    case operatorFault = "SP40010"
    case otherNumber = "SP40011"
    case expired = "SP40012"
    case timeout = "SP40014"
    case noMobileData = "SP40015"
    case cancelled = "SP40024"

    init(_ obstacle: MobileAuthFailure?) {
        switch obstacle {
        case .otherNumber: self = .otherNumber
        case .notOnNetwork: self = .noMobileData
        case .noOperator: self = .operatorUnsupported
        case .operatorTimeout, .late: self = .timeout
        case .operatorFault: self = .operatorFault
        case .notOpened: self = .expired
        case .givenUp: self = .cancelled
        case .refused, .badStanding, nil: self = .failed
        }
    }

    var message: String {
        switch self {
        case .failed: "Verification failed"
        case .operatorUnsupported: "Operator not supported"
        case .operatorFault: "Operator error"
        case .otherNumber: "Number mismatch"
        case .expired: "Link expired"
        case .timeout: "Timeout"
        case .noMobileData: "No mobile data"
        case .cancelled: "Cancelled"
        }
    }

    var description: String {
        switch self {
        case .failed: "the mobile network did not confirm the number"
        case .operatorUnsupported: "no mobile operator is known for the phone's connection"
        case .operatorFault: "the mobile operator could not be asked"
        case .otherNumber: "the phone's connection is of another number"
        case .expired: "the phone did not open the link in time"
        case .timeout: "the mobile operator, or the phone, gave no answer in time"
        case .noMobileData: "the phone did not come over its mobile data connection"
        case .cancelled: "the silent proof was given up"
        }
    }
}
