@testable import Possession
import Text

extension Fixture {
    /// The address the backend gave of the waiting browser.
    static let desk = "198.51.100.7"

    static func moment(_ seconds: Int) -> Timestamp { start.adding(.seconds(seconds)) }

    static func linkDigest(_ byte: UInt8) -> LinkDigest { LinkDigest([UInt8](repeating: byte, count: 32)) }

    static func link(_ byte: UInt8, matchCode: String? = nil) -> Session.IssuedLink {
        Session.IssuedLink(token: "token-\(byte)", digest: linkDigest(byte), matchCode: matchCode)
    }

    /// A desktop session that waits for the answer to link 1.
    static func linking(
        number: PhoneNumber? = lorant, ipAddress: String? = nil, matchCode: String? = nil,
        _ change: (inout Fixture.Wishes) -> Void = { _ in }
    ) -> Session {
        var session = redeemed(request(.desktop, number: number, ipAddress: ipAddress, change), fallback: .link)
        _ = try! session.link(1, .first(number == nil ? lorant : nil), matchCode: matchCode)
        return session
    }
}

extension Session {
    /// Sends the link of that digest.
    mutating func link(
        _ byte: UInt8, _ order: SendOrder = .again, matchCode: String? = nil, after seconds: Int = 0
    ) throws(StepRefusal) -> PendingMessage {
        try sendLink(
            order, link: Fixture.link(byte, matchCode: matchCode), browser: "Firefox on Linux",
            at: Fixture.moment(seconds), rules: Fixture.rules)
    }

    /// Answers the link of that digest from a phone.
    @discardableResult
    mutating func answer(
        _ byte: UInt8 = 1, _ decision: LinkDecision = .approve(matchCode: nil), from address: String? = nil,
        otherPhone: Bool = false, after seconds: Int = 1, rules: Rules = Fixture.rules
    ) -> Bool {
        let phone = ApprovingPhone(address: address.flatMap { IPAddress($0) }, isOtherPhone: otherPhone)
        return decideLink(
            Fixture.linkDigest(byte), decision, by: phone, at: Fixture.moment(seconds), rules: rules)
    }
}
