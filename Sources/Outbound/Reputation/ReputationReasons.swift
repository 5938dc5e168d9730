package import Possession

/// The fraud policy's terms for findings of this server about a number (Prove section 9).
extension Reputation.Reason {
    /// The SIM of the number was swapped recently.
    static func simSwap(withinHours hours: Int) -> Reputation.Reason {
        Reputation.Reason(code: "9135", text: "SIM swap under \(hours) hours ago")
    }

    /// The number has another owner than when the backend enrolled it.
    static let newOwner = Reputation.Reason(code: "9163", text: "number has a newer owner")

    /// No source has an answer. The code is ours: the policy has none for this.
    package static let unknownStanding = Reputation.Reason(code: "9190", text: "standing not known")
}
