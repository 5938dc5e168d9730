internal import Possession
internal import BuiltInFiles
internal import StrictJSON

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

extension Configuration.Messaging {
    init(_ reader: inout ConfigurationReader, _ mode: Configuration.Mode?) {
        routesFile = reader.text(.routesFile)
        presets = reader.text(.presets) ?? BuiltInPath.presets
        waitSeconds = reader.integer(.messageWait) ?? 2
        nextRoute = reader.flag(.nextRoute) ?? true
        channels = []
        let names = reader.isSet(.channels) ? reader.list(.channels) : ["sms"]
        for name in names {
            guard let channel = OutgoingMessage.Channel.ofNumbers.first(where: { $0.rawValue == name }) else {
                reader.refuse(.channels, "the entry '\(name)' must be one of sms, voice, whatsapp, viber")
                continue
            }
            if channels.contains(channel) { reader.refuse(.channels, "the entry '\(name)' is there twice") }
            channels.append(channel)
        }
        if names.isEmpty { reader.refuse(.channels, "must name a channel") }
        if mode == .sandbox, routesFile != nil {
            reader.refuse(.routesFile, "the sandbox plays the carrier itself, and nothing leaves the machine")
        }
    }

    var settings: JSONObject {
        var object = JSONObject()
        object.set("routesFile", routesFile)
        object.set("presets", presets)
        object.set("channels", channels.map(\.rawValue).joined(separator: ","))
        object.set("waitSeconds", waitSeconds)
        object["nextRoute"] = .bool(nextRoute)
        return object
    }
}
