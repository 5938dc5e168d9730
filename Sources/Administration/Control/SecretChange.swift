internal import StrictJSON
internal import Text

/// A new secret for an API client.
struct SecretChange: Sendable, Equatable {
    /// In hours. A month is enough for any deployment, and no secret is forgotten for ever.
    static let overlaps = 0...720
    static let standardOverlap = 24

    /// `nil`: a random one.
    var secret: Secret?
    /// How long the one before stays valid, in hours; 0: it ends at once.
    var overlapHours = standardOverlap

    init(secret: Secret? = nil, overlapHours: Int = standardOverlap) {
        self.secret = secret
        self.overlapHours = overlapHours
    }

    /// `nil` when anything else stands there.
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
