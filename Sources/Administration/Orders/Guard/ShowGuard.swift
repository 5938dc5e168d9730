internal import Possession
internal import StrictJSON
internal import SurfaceKit

/// Shows the cost of messages, closed prefixes, and the places where few people answer.
struct ShowGuard: ReadingOrder {
    static let call = OrderCall(.get, "/control/guard", Self.init)
    static let reply = Reply<GuardStanding> {
        ReplyMember.always("guard", .list(of: .object(.anything))) { $0.lines }
    }

    func respond(_ administrator: Administrator) async throws(Refusal) -> GuardStanding {
        try await administrator.guardStanding()
    }
}

extension GuardStanding {
    /// Each cost and each place as the list shows it.
    fileprivate var lines: [JSONObject] {
        var lines: [JSONObject] = []
        for spent in spent {
            var object = JSONObject()
            switch spent.scope {
            case .common: object.set("scope", "common")
            case .client(let client): object.set("client", client.text)
            case .country(let country): object.set("country", country)
            }
            object.set("spentInADay", SpendGuard.text(ofUnits: spent.units))
            if spent.budget > 0 { object.set("budget", SpendGuard.text(ofUnits: spent.budget)) }
            object.set("reserved", spent.reserved.map { SpendGuard.text(ofUnits: $0) })
            let unit = isMoney ? "currency of guard.prices" : "messages"
            object.set("unit", spent.ledger == .mail ? "\(unit), e-mails alone" : unit)
            lines.append(object)
        }
        lines += closed.map(\.line)
        for (place, left) in scarce {
            var object = JSONObject()
            object.set(place.isCountry ? "country" : "prefix", place.place)
            object.set("client", place.client.text)
            object.set("since", place.since.rfc3339)
            object.set("servedNow", left > 0 ? "known networks and known people" : "known people")
            object.set("messagesLeft", max(0, left))
            lines.append(object)
        }
        for (client, left, last) in withoutAddress {
            var object: JSONObject = ["client": .string(client.text)]
            object.set("address", "its backend named none: such people are one network")
            object.set("last", last.rfc3339)
            object.set("messagesLeft", max(0, left))
            object.set("openNumbersInAPrefix", BucketSizes.openOfNetwork)
            object.set("advice", "send ipAddress, signals.ip (Prelude) or DeviceIp (Twilio Verify)")
            lines.append(object)
        }
        return lines
    }
}

extension ClosedPrefix {
    /// A closed prefix as lists show it.
    var line: JSONObject { ["prefix": .string(prefix.text), "closedUntil": .string(until.rfc3339)] }
}
