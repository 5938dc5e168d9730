internal import Possession

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
