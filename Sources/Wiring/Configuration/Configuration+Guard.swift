internal import Possession
internal import StrictJSON

extension ConfigurationKey {
    static let guardMode = ConfigurationKey(
        "guard.mode", .choice(SpendGuard.Mode.allCases.map(\.rawValue)), standard: "block",
        "block refuses messages over a budget or to a closed prefix; watch only tells; off counts nothing; holds where limits over sessions do"
    )
    static let guardPrices = ConfigurationKey(
        "guard.prices", .object, standard: "none; a message counts 1",
        "price of one message by country, for each part of an SMS, such as {\"US\": 0.008, \"email\": 0.001, \"default\": 0.1}, in the currency of the budgets; only in the file"
    )
    static let budgetPerDay = ConfigurationKey(
        "guard.budgetPerDay", .integer(0...200_000), standard: "0",
        "what messages may cost in 24 hours, or without prices how many there may be; 0: no budget")
    static let budgetPerClientPerDay = ConfigurationKey(
        "guard.budgetPerClientPerDay", .integer(0...200_000), standard: "0", "the same for each API client")
    static let budgetPerCountryPerDay = ConfigurationKey(
        "guard.budgetPerCountryPerDay", .integer(0...200_000), standard: "0", "the same for each country")
    static let guardMessages = ConfigurationKey(
        "guard.leastMessages", .integer(1...1_000_000), standard: "20",
        "messages in an hour to numbers that share all but their last 4 digits, from which on their answers are looked at"
    )
    static let guardPercent = ConfigurationKey(
        "guard.leastPercent", .integer(0...100), standard: "20",
        "share of them that people must answer, in percent; under it these numbers get no messages for a while; 0: never closed"
    )
    static let guardPause = ConfigurationKey(
        "guard.pauseMinutes", .integer(1...720), standard: "60",
        "how long that is at first, in minutes; twice as long each time in a row, 12 hours at most")

    static let ofGuard = [
        guardMode, guardPrices, budgetPerDay, budgetPerClientPerDay, budgetPerCountryPerDay, guardMessages,
        guardPercent,
        guardPause,
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
        leastMessages = reader.integer(.guardMessages) ?? 20
        leastPercent = reader.integer(.guardPercent) ?? 20
        pause = .seconds((reader.integer(.guardPause) ?? 60) * 60)
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
        object.set("leastMessages", leastMessages)
        object.set("leastPercent", leastPercent)
        object.set("pauseMinutes", Int(pause.components.seconds / 60))
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
