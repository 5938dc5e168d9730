internal import Glibc

/// The `Date` field, rebuilt once a second (RFC 9110 section 5.6.7). Belongs to one loop.
struct HTTPDate {
    private var second = -1
    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private(set) var text = ""

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Returns true when a new second has begun.
    mutating func refresh() -> Bool {
        let now = Glibc.time(nil)
        guard now != second else { return false }
        second = now
        text = HTTPDate.text(unixSeconds: now)
        return true
    }

    static func text(unixSeconds: Int) -> String {
        var seconds: time_t = unixSeconds
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let day = days[Int(parts.tm_wday)]
        let month = months[Int(parts.tm_mon)]
        let date = "\(twoDigits(parts.tm_mday)) \(month) \(1900 + Int(parts.tm_year))"
        return "\(day), \(date) \(twoDigits(parts.tm_hour)):\(twoDigits(parts.tm_min)):\(twoDigits(parts.tm_sec)) GMT"
    }

    private static func twoDigits(_ number: Int32) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
