internal import StrictJSON
internal import Text

/// A new secret for an API client.
struct SecretChange: Sendable, Equatable {
    /// The overlap in hours. A month is enough for any deployment, and the limit makes sure that an old secret ends.
    static let overlaps = 0...720
    static let standardOverlap = 24

    /// `nil`: make a random one.
    var secret: Secret?
    /// How long the previous secret stays valid, in hours; 0: it becomes invalid at once.
    var overlapHours = standardOverlap

    init(secret: Secret? = nil, overlapHours: Int = standardOverlap) {
        self.secret = secret
        self.overlapHours = overlapHours
    }

    /// `nil`: the object has another form.
    init?(_ object: JSONObject) {
        for member in object.members {
            switch (member.name, member.value) {
            case ("secret", .string(let text)): secret = Secret(text)
            case ("overlapHours", .integer(let hours)):
                guard let hours = Int(exactly: hours), Self.overlaps.contains(hours) else { return nil }
                overlapHours = hours
            default: return nil
            }
        }
    }

    var object: JSONObject {
        var object = JSONObject()
        object.set("secret", secret?.text)
        object.set("overlapHours", overlapHours)
        return object
    }
}
