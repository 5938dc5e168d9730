internal import Possession
internal import SurfaceKit

/// A moment as people read it, in UTC: the server knows no more of where the phone is.
struct ReadableTime: Sendable {
    private let moment: Timestamp

    init(_ moment: Timestamp) {
        self.moment = moment
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `1 January 2026, 10:15 UTC`; day and month stay on one line, and so do time and zone.
    var dayAndTime: HTML {
        let parts = moment.rfc3339.split { "-T".contains($0) }
        guard parts.count == 4, let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month) else {
            return element(moment.rfc3339)
        }
        return element("\(day)\u{A0}\(Self.months[month - 1]) \(parts[0]), \(clock)\u{A0}UTC")
    }

    /// `10:15 UTC`
    var time: HTML { element("\(clock)\u{A0}UTC") }

    private var clock: String { String(moment.rfc3339.dropFirst(11).prefix(5)) }

    private func element(_ text: String) -> HTML {
        "<time datetime=\"\(moment.rfc3339)\">\(text)</time>"
    }
}
