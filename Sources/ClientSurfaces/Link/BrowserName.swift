internal import Text
internal import SurfaceKit

/// A readable name of the waiting browser, for the person who decides: `Firefox on Linux`.
package enum BrowserName {
    /// Longer values are cut; browsers send 60 to 250 bytes.
    private static let maxBytes = 512

    /// Words of a `User-Agent` and the browsers they mean. The order matters: most browsers also name the browsers they
    /// descend from.
    private static let browsers: [(word: String, name: String)] = [
        ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("Edge/", "Edge"),
        ("OPR/", "Opera"), ("OPT/", "Opera"), ("OPX/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"), ("YaBrowser/", "Yandex Browser"),
        ("DuckDuckGo/", "DuckDuckGo"), ("Ddg/", "DuckDuckGo"),
        ("FxiOS/", "Firefox"), ("Focus/", "Firefox"), ("Firefox/", "Firefox"),
        ("CriOS/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems: [(word: String, name: String)] = [
        ("iPhone", "iPhone"), ("iPod", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
        ("Windows", "Windows"), ("Macintosh", "Mac"), ("FreeBSD", "FreeBSD"), ("Linux", "Linux"),
    ]

    private static let joint = Array(" on ".utf8)

    /// Browser and system of a description, so that each language can join them in its own way; `nil`: it has no
    /// system.
    package static func parts(of description: String) -> (browser: String, system: String)? {
        guard let place = description.utf8.firstRange(of: joint) else { return nil }
        return (
            String(Substring(description.utf8[..<place.lowerBound])),
            String(Substring(description.utf8[place.upperBound...]))
        )
    }

    /// - Parameter userAgent: as the browser sent it. No part of it is repeated: the result comes from a fixed list,
    ///   because a person must be able to trust the page that shows it.
    /// - Returns: `nil` for anything except one of the usual browsers.
    package static func describe(userAgent: String) -> String? {
        let text = userAgent.utf8.prefix(maxBytes)
        guard let browser = browsers.first(where: { text.holds($0.word) })?.name else { return nil }
        let system = systems.first(where: { text.holds($0.word) })?.name
        // Web views and less common browsers on other systems also call themselves Safari.
        if browser.isSame(as: "Safari") {
            guard let system, ["iPhone", "iPad", "Mac"].contains(where: { $0.isSame(as: system) }) else { return nil }
        }
        return system.map { "\(browser) on \($0)" } ?? browser
    }
}
