internal import PhoneNumbers
internal import Possession
internal import StrictJSON

extension SpendGuard {
    private static let dearest = 1_000.0

    /// Reads `guard.prices`.
    mutating func readPrices(_ object: JSONObject, _ reader: inout ConfigurationReader) {
        countsParts = true
        for member in object.members {
            let path = "guard.prices.\(member.name)"
            let price: Double? =
                switch member.value {
                case .integer(let number): Double(number)
                case .number(let text): Double(text)
                default: nil
                }
            guard let price, price >= 0, price <= Self.dearest else {
                reader.refuse(at: path, "must be a number from 0 to 1000")
                continue
            }
            // Round up, so that the price is never too low.
            let units = Int((price * Double(Self.unit)).rounded(.up))
            if member.name == "default" {
                standardPrice = units
            } else if member.name == "email" {
                emailPrice = units
            } else if member.name.utf8.count == 2, member.name.utf8.allSatisfy({ (65...90).contains($0) }) {
                guard NumberingPlan.isRegion(member.name) else {
                    reader.refuse(at: path, "there is no such region (ISO 3166-1)")
                    continue
                }
                prices[member.name] = units
            } else {
                reader.refuse(at: path, "must be named by a region of two capital letters, email or default")
            }
        }
        if !object.has("default") {
            reader.refuse(at: "guard.prices.default", "missing; countries without a price need one")
        }
    }

    /// The prices in the form of the file; `nil`: there are none.
    var printedPrices: JSONObject? {
        guard countsParts else { return nil }
        var named = JSONObject()
        for (country, units) in prices.sorted(by: { $0.key < $1.key }) { named[country] = Self.number(units) }
        named["email"] = emailPrice.map { Self.number($0) }
        named["default"] = Self.number(standardPrice)
        return named
    }

    private static func number(_ units: Int) -> JSONValue {
        if units % unit == 0 { return .integer(Int64(units / unit)) }
        let fraction = String(units % unit + unit).dropFirst()
        return .number("\(units / unit).\(fraction)")
    }
}
