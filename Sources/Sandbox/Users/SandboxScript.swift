internal import Possession
internal import StrictJSON

/// A sandbox user's behaviour at each step, from the users file; every member may be left out.
struct SandboxScript {
    private enum Limit {
        static let codes = 8
        static let delaySeconds = 600
        static let reasons = 16
        static let reasonBytes = 256
        static let noteBytes = 1_024
    }

    private let otp: SandboxUser.CodeOutcome
    private let codes: [OTP]
    private let delivery: SandboxDelivery
    private let deliveryDelaySeconds: Int
    private let mobileAuth: SandboxUser.MobileAuthOutcome
    private let reputation: SandboxUser.ReputationOutcome
    private let reputationReasons: [Reputation.Reason]
    private let simSwap: SandboxSIM
    private let link: SandboxUser.LinkBehaviour
    private let withoutClient: Bool
    private let note: String
    private let verification: ScriptedVerification?

    /// `nil` after a mistake in an outcome, which the reader has recorded.
    init?(_ reader: inout MemberReader) {
        let otp = reader.choice("otp", of: [.pass, .fail], or: SandboxUser.CodeOutcome.pass)
        codes = Self.codes(&reader)
        let delivery = SandboxDelivery.read("delivery", in: &reader)
        deliveryDelaySeconds = reader.wholeNumber("deliveryDelaySeconds", in: 0...Limit.delaySeconds, or: 0)
        let mobileAuth = reader.choice(
            "mobileAuth", of: SandboxUser.MobileAuthOutcome.allCases, or: SandboxUser.MobileAuthOutcome.unavailable)
        let reputation = reader.choice("reputation", of: [.pass, .fail], or: SandboxUser.ReputationOutcome.pass)
        reputationReasons = Self.reputationReasons(&reader, for: reputation)
        let simSwap = SandboxSIM.read("simSwap", in: &reader)
        let link = reader.choice(
            "link", of: SandboxUser.LinkBehaviour.allCases, or: SandboxUser.LinkBehaviour.open)
        withoutClient = reader.bool("withoutClient", or: false)
        note = reader.text("note", maxBytes: Limit.noteBytes) ?? ""
        verification = ScriptedVerification.read("verify", in: &reader)
        guard let otp, let delivery, let mobileAuth, let reputation, let simSwap, let link else { return nil }
        self.otp = otp
        self.delivery = delivery
        self.mobileAuth = mobileAuth
        self.reputation = reputation
        self.simSwap = simSwap
        self.link = link
    }

    func user(
        digits: String, number: PhoneNumber, emailAddress: EmailAddress?, credentials: Identification?,
        isReachedByEmail: Bool, name: String, region: SandboxUser.Region, product: SandboxProduct
    ) -> SandboxUser {
        SandboxUser(
            digits: digits, number: number, emailAddress: emailAddress, credentials: credentials,
            isReachedByEmail: isReachedByEmail, name: name, region: region, otp: otp, codes: codes, delivery: delivery,
            deliveryDelaySeconds: deliveryDelaySeconds, mobileAuth: mobileAuth, reputation: reputation,
            reputationReasons: reputationReasons, simSwap: simSwap, link: link, withoutClient: withoutClient,
            product: product, note: note, verification: verification)
    }

    // MARK: Lists

    private static func codes(_ reader: inout MemberReader) -> [OTP] {
        var codes: [OTP] = []
        for (place, value) in reader.list("codes", mayBeEmpty: false, maxCount: Limit.codes) {
            guard let code = value.string.flatMap(OTP.init), code.text.utf8.count <= 6 else {
                reader.adopt(["\(place): must be text of 4 to 6 digits"])
                continue
            }
            if codes.contains(code) { reader.adopt(["\(place): is in the list already"]) }
            codes.append(code)
        }
        return codes
    }

    private static func reputationReasons(
        _ reader: inout MemberReader, for outcome: SandboxUser.ReputationOutcome?
    ) -> [Reputation.Reason] {
        let name = "reputationReasons"
        guard let value = reader.value(name) else { return [] }
        guard let members = value.object?.members else {
            reader.note(name, "must be an object")
            return []
        }
        if outcome == .pass { reader.note(name, "is for reputation fail alone") }
        guard (1...Limit.reasons).contains(members.count) else {
            reader.note(name, "must have 1 to \(Limit.reasons) members")
            return []
        }
        return members.map { member in
            let place = "\(name).\(MemberReader.shown(member.name))"
            if !isReasonCode(member.name) { reader.note(place, "must be named by four digits") }
            let mistake = MemberReader.textMistake(member.value, maxBytes: Limit.reasonBytes)
            if let mistake { reader.note(place, mistake) }
            return Reputation.Reason(code: member.name, text: member.value.string ?? "")
        }
    }

    /// In the form of the fraud policy (Prove section 9).
    private static func isReasonCode(_ name: String) -> Bool {
        name.utf8.count == 4 && name.utf8.allSatisfy { $0 >= 48 && $0 <= 57 }
    }
}
