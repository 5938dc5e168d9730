internal import Outbound
internal import PhoneNumbers
internal import Possession
internal import SQLiteStorage
internal import Text

extension MessagingFile {
    /// Lists countries that are open to an API client but to which no route sends text messages, one line for each
    /// client. A country is tested with the plan's example mobile numbers, so that routes by prefix also count.
    func warnings(of clients: [DatabaseLook.OpenCountries]) -> [String] {
        // With a route for all numbers, countries need no check.
        let limited = clients.filter { open in !routes.contains { $0.fits(.sms, of: open.client, to: nil, in: nil) } }
        guard !limited.isEmpty else { return [] }
        let examples = NumberingPlan.libraryRegions().flatMap { region in
            NumberingPlan.examples(in: region).filter { $0.kind == .mobile || $0.kind == .fixedLineOrMobile }
                .map { (number: $0.number, region: region) }
        }
        return limited.compactMap { open in
            let missed = open.callingCodes.filter { code in
                let inside = examples.filter { $0.region.isSame(as: code) || $0.number.begins(with: code) }
                return !inside.isEmpty
                    && !inside.contains { example in
                        routes.contains { $0.fits(.sms, of: open.client, to: example.number, in: example.region) }
                    }
            }
            guard !missed.isEmpty else { return nil }
            return "no route takes text messages of the API client \(open.client) to what is open to it: "
                + missed.joined(separator: ", ")
        }
    }
}

extension PhoneNumber {
    /// - Parameter callingCode: digits, without `+`.
    fileprivate func begins(with callingCode: String) -> Bool {
        e164.utf8.dropFirst().starts(with: callingCode.utf8)
    }
}
