internal import Possession
internal import SurfaceKit

/// A time for people to read. The server does not know the phone's time zone and writes UTC; the page's script converts
/// it.
struct ReadableTime: Sendable {
    private let moment: Timestamp
    private let isEnglish: Bool

    init(_ moment: Timestamp, in language: LanguageTag) {
        self.moment = moment
        isEnglish = language == .english
    }

    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `1 January 2026, 10:15 UTC`; day and month stay on one line, and so do time and zone. Other languages use digits
    /// for the day, `2026-01-01`.
    var dayAndTime: HTML {
        let date = moment.rfc3339.utf8.prefix(10)
        let parts = date.split(separator: UInt8(ascii: "-")).map { String(Substring($0)) }
        guard isEnglish, parts.count == 3, let month = Int(parts[1]), let day = Int(parts[2]), (1...12).contains(month)
        else { return element("\(String(Substring(date))), \(clock)\u{A0}UTC", "day") }
        return element("\(day)\u{A0}\(Self.months[month - 1]) \(parts[0]), \(clock)\u{A0}UTC", "day")
    }

    /// `10:15 UTC`
    var time: HTML { element("\(clock)\u{A0}UTC") }

    private var clock: String { String(moment.rfc3339.dropFirst(11).prefix(5)) }

    /// - Parameter kind: a class that tells the script to show the day too.
    private func element(_ text: String, _ kind: String? = nil) -> HTML {
        let mark: HTML = kind.map { " class=\"\($0)\"" } ?? .empty
        return "<time\(mark) datetime=\"\(moment.rfc3339)\" dir=\"ltr\">\(text)</time>"
    }
}
