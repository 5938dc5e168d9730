/// The findings of the fraud policy that this server makes itself (Prove section 9).
extension Reputation.Reason {
    static let identityNotFound = Reputation.Reason(code: "9003", text: "identity not found")
    static let identityNotConfirmed = Reputation.Reason(code: "9011", text: "identity not confirmed")
    static let ssnMismatch = Reputation.Reason(code: "9012", text: "SSN mismatch")
    static let dobMismatch = Reputation.Reason(code: "9013", text: "date of birth mismatch")
    static let nameMismatch = Reputation.Reason(code: "9014", text: "name mismatch")
    package static let lowSIMTrust = Reputation.Reason(code: "9133", text: "low SIM trust score")
}
