package import Possession

/// The fraud policy's words for what this server finds of a number (Prove section 9).
extension Reputation.Reason {
    /// The SIM of the number was swapped a short while ago.
    static func simSwap(withinHours hours: Int) -> Reputation.Reason {
        Reputation.Reason(code: "9135", text: "SIM swap under \(hours) hours ago")
    }

    /// The number belongs to somebody else than when the backend enrolled it.
    static let newOwner = Reputation.Reason(code: "9163", text: "number has a newer owner")

    /// Nobody could tell. The code is ours: the policy has none for it.
    package static let unknownStanding = Reputation.Reason(code: "9190", text: "standing not known")
}
