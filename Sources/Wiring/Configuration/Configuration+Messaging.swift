extension ConfigurationKey {
    static let routesFile = ConfigurationKey(
        "messaging.routesFile", .path, standard: "none; nothing can be sent",
        "live: file of the gateways and routes of messages; SIGHUP reads it again")
    static let presets = ConfigurationKey(
        "messaging.presets", .path, standard: "those of the program",
        "directory of the files that describe kinds of gateways")
    static let channels = ConfigurationKey(
        "messaging.channels", .list, standard: "sms",
        "ways of a code to a number, in order: sms, whatsapp, viber, voice; a link never takes voice")
    static let messageWait = ConfigurationKey(
        "messaging.waitSeconds", .integer(0...30), standard: "2",
        "how long a call waits for the carrier's answer; the message goes on after it")

    static let nextRoute = ConfigurationKey(
        "messaging.nextRoute", .flag, standard: "true",
        "sends a message once more by the next route when it did not arrive; the database keeps it sealed until then")

    static let ofMessaging = [routesFile, presets, channels, messageWait, nextRoute]
}
