internal import Outbound
internal import PhoneNumbers
internal import Possession
internal import SQLiteStorage

extension MessagingFile {
    /// Names the countries that are open to an API client and that no route takes its text messages to. A country is tried by
    /// the plan's example of a mobile number, so that a route by a prefix counts too.
    func warnings(of open: DatabaseLook.OpenCountries) -> [String] {
        open.callingCodes.compactMap { code in
            let numbers = Self.mobileNumbers(code)
            let isReached = numbers.contains { number, region in
                routes.contains { $0.fits(.sms, of: open.client, to: number, in: region) }
            }
            guard !numbers.isEmpty, !isReached else { return nil }
            return "no route takes a text message of the API client \(open.client) to \(code), which is open to it"
        }
    }

    /// - Parameter code: a region, or the digits of a calling code.
    private static func mobileNumbers(_ code: String) -> [(PhoneNumber, region: String)] {
        let regions = NumberingPlan.isRegion(code) ? [code] : NumberingPlan.libraryRegions()
        return regions.flatMap { region in
            NumberingPlan.examples(in: region).filter {
                $0.kind == .mobile || $0.kind == .fixedLineOrMobile
            }.map { ($0.number, region) }
        }.filter { NumberingPlan.isRegion(code) || $0.0.e164.utf8.dropFirst().starts(with: code.utf8) }
    }
}
