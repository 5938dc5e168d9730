internal import Possession

extension IdentityFinding.Reason {
    /// Its code and text in the fraud policy (Prove section 9).
    var inFraudPolicy: Reputation.Reason {
        switch self {
        case .notFound: Reputation.Reason(code: "9003", text: "identity not found")
        case .notConfirmed: Reputation.Reason(code: "9011", text: "identity not confirmed")
        case .ssn: Reputation.Reason(code: "9012", text: "SSN mismatch")
        case .birthDate: Reputation.Reason(code: "9013", text: "date of birth mismatch")
        case .name: Reputation.Reason(code: "9014", text: "name mismatch")
        }
    }
}
