internal import PhoneNumbers
internal import Possession
internal import StrictJSON

extension ConfigurationKey {
    static let guardMode = ConfigurationKey(
        "guard.mode", .choice(SpendGuard.Mode.allCases.map(\.rawValue)), standard: "block",
        "block refuses messages over a budget or to a place where too few people answer; watch only reports; off does not count"
    )
    static let guardPrices = ConfigurationKey(
        "guard.prices", .object, standard: "none; a message counts 1",
        "price of one message, or one part of an SMS, by country: {\"US\": 0.008, \"email\": 0.001, \"default\": 0.1}")
    static let budgetPerDay = ConfigurationKey(
        "guard.budgetPerDay", .integer(0...200_000), standard: "0",
        "cost of messages in 24 hours, or without prices their number, a whole number; 0: no budget")
    static let budgetPerClientPerDay = ConfigurationKey(
        "guard.budgetPerClientPerDay", .integer(0...200_000), standard: "0", "the same for each API client")
    static let budgetPerCountryPerDay = ConfigurationKey(
        "guard.budgetPerCountryPerDay", .integer(0...200_000), standard: "0", "the same for each country")
    static let anonymousPercent = ConfigurationKey(
        "guard.anonymousPercent", .integer(1...100), standard: "20",
        "part of an API client's spending that runs of /initialize may have; unknown networks: half of it")

    static let ofGuard = [
        guardMode, guardPrices, budgetPerDay, budgetPerClientPerDay, budgetPerCountryPerDay, anonymousPercent,
    ]
}

extension SpendGuard {
    private static let dearest = 1_000.0

    init(_ reader: inout ConfigurationReader) {
        self.init()
        mode = reader.text(.guardMode).flatMap(Mode.init) ?? .block
        perDay = (reader.integer(.budgetPerDay) ?? 0) * Self.unit
        perTenantPerDay = (reader.integer(.budgetPerClientPerDay) ?? 0) * Self.unit
        perCountryPerDay = (reader.integer(.budgetPerCountryPerDay) ?? 0) * Self.unit
        anonymousPercent = reader.integer(.anonymousPercent) ?? 20
        guard let object = reader.object(.guardPrices) else {
            if reader.isSet(.guardPrices) { reader.refuse(.guardPrices, ConfigurationKey.guardPrices.demand) }
            return
        }
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
            // Never less than it costs.
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

    /// As the file has them.
    var settings: JSONObject {
        var object: JSONObject = ["mode": .string(mode.rawValue)]
        object.set("budgetPerDay", perDay / Self.unit)
        object.set("budgetPerClientPerDay", perTenantPerDay / Self.unit)
        object.set("budgetPerCountryPerDay", perCountryPerDay / Self.unit)
        object.set("anonymousPercent", anonymousPercent)
        guard countsParts else { return object }
        var named = JSONObject()
        for (country, units) in prices.sorted(by: { $0.key < $1.key }) { named[country] = Self.number(units) }
        named["email"] = emailPrice.map { Self.number($0) }
        named["default"] = Self.number(standardPrice)
        object.set("prices", named)
        return object
    }

    private static func number(_ units: Int) -> JSONValue {
        if units % unit == 0 { return .integer(Int64(units / unit)) }
        let fraction = String(units % unit + unit).dropFirst()
        return .number("\(units / unit).\(fraction)")
    }
}
