internal import BuiltInFiles
internal import Outbound
internal import Possession
internal import Storage
internal import Text

extension Setting {
    /// Codes, links and texts (docs/configuration/messages.md).
    static let ofMessages: [Setting] = [
        Setting(
            "otp.codeLength", \.otp.length, .integer(4...6), default: .byMode(sandbox: 4, live: 6),
            "digits of a code, unless a call asks for another number; in live also the smallest number, unless leastCodeDigits of the API client allows fewer"
        ).reloaded(.inSameMode),
        Setting(
            "otp.lifetimeSeconds", \.otp.lifetimeSeconds, .integer(30...600), default: .value(120),
            "how long a code is valid"
        ).reloaded(.inSameMode),
        Setting(
            "link.publicUrl", \.link.publicURL, .serverURL, default: .unset("as server.publicUrl"),
            "scheme and authority of instant links; not a host whose links an app opens"),
        Setting(
            "link.lifetimeSeconds", \.link.lifetimeSeconds, .integer(30...600), default: .value(180),
            "how long an instant link is valid"
        ).reloaded(.inSameMode),
        Setting(
            "messaging.textsFile", \.texts.file, .path, default: .unset("none: English texts of the program"),
            "texts of messages by language and country; config/texts.json has nineteen languages"
        ).reloaded(.always),
        Setting(
            "messaging.brand", \.texts.brand, .text.refusing(Configuration.Texts.defect(ofBrand:)),
            default: .unset("none, must be set where a text has {brand}"),
            "the name in messages, unless the API client has a displayName; 1 to 64 bytes"
        ).reloaded(.always),
        Setting(
            "messaging.lookalikes", \.texts.lookalikes, .flag, default: .value(false),
            "whether an SMS gets look-alikes of characters outside of GSM-7, except registered texts"
        ).reloaded(.always),
    ]

    /// Webhooks.
    static let ofWebhooks: [Setting] = [
        Setting(
            "webhooks.retentionDays", \.webhooks.retentionDays, .integer(1...90), default: .value(7),
            "how long events and deliveries are kept; an event not delivered by then is given up"),
        Setting(
            "webhooks.maxBytesPerClient", \.webhooks.maxBytesPerClient, .integer(1_048_576...1_099_511_627_776),
            default: .value(StorageLimits().webhookBytesPerClient),
            "events and deliveries kept for one API client; over it the oldest go"),
        Setting(
            "webhooks.allowedNetworks", \.webhooks.allowedNetworks, .addressRanges,
            default: .following("none; in sandbox 127.0.0.0/8 and ::1") {
                $0.mode == .live ? AddressRanges() : Configuration.Webhooks.loopback
            }, "addresses and ranges (10.0.0.0/8) of internal receivers; others are refused"),
        Setting(
            "webhooks.ports", \.webhooks.ports, .ports, default: .value([443, 8443]),
            "TCP ports of receivers; in sandbox any port of a loopback address"),
        Setting(
            "webhooks.proxyUrl", \.webhooks.proxyURL, .text.refusing(OutboundProxy.defect(of:)),
            "HTTP proxy to receivers, such as http://egress:4750; it decides which addresses may be called"),
    ]

    /// Gateways and sending.
    static let ofGateways: [Setting] = [
        Setting(
            "messaging.routesFile", \.messaging.routesFile, .path, default: .unset("none; nothing can be sent"),
            "live: file of the gateways and routes of messages; SIGHUP reads it again"),
        Setting(
            "messaging.presets", \.messaging.presets, .path,
            default: .value(BuiltInPath.presets, "those of the program"),
            "directory of the files that describe kinds of gateways"),
        Setting(
            "messaging.channels", \.messaging.channels, .channels, default: .value([.sms]),
            "ways of a code to a number, in order: sms, whatsapp, viber, voice; a link never takes voice"),
        Setting(
            "messaging.waitSeconds", \.messaging.waitSeconds, .integer(0...30), default: .value(2),
            "how long a call waits for the carrier's answer; the message goes on after it"),
        Setting(
            "messaging.nextRoute", \.messaging.nextRoute, .flag, default: .value(true),
            "sends a message once more by the next route when it did not arrive; the database keeps it sealed until then"
        ),
    ]

    /// Limits on the cost of messages.
    static let ofGuard: [Setting] = [
        Setting(
            "guard.mode", \.spend.mode, .choice(SpendGuard.Mode.allCases), default: .value(.block),
            "block refuses messages over a budget or to a place where too few people answer; watch only reports; off does not count"
        ),
        Setting(
            "guard.prices", read: { $0.spend.readPrices($1, &$2) }, printed: { $0.spend.printedPrices },
            default: "none; a message counts 1",
            "price of one message, or one part of an SMS, by country: {\"US\": 0.008, \"email\": 0.001, \"default\": 0.1}"
        ),
        Setting(
            "guard.budgetPerDay", \.spend.perDay, .integer(0...200_000, times: SpendGuard.unit), default: .value(0),
            "cost of messages in 24 hours, or without prices their number, a whole number; 0: no budget"),
        Setting(
            "guard.budgetPerClientPerDay", \.spend.perTenantPerDay, .integer(0...200_000, times: SpendGuard.unit),
            default: .value(0), "the same for each API client"),
        Setting(
            "guard.budgetPerCountryPerDay", \.spend.perCountryPerDay, .integer(0...200_000, times: SpendGuard.unit),
            default: .value(0), "the same for each country"),
        Setting(
            "guard.anonymousPercent", \.spend.anonymousPercent, .integer(1...100), default: .value(20),
            "part of an API client's spending that runs of /initialize may have; unknown networks: half of it"),
    ].map { $0.reloaded(.inSameMode) }
}
