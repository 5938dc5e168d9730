internal import SurfaceKit

/// Pages for people who open this server in a browser: what it is, and useful links.
struct FrontPage: Sendable {
    /// Paths of this listener, with a description.
    let places: [(path: String, about: String)]
    let isSandbox: Bool

    static let heading = "Holdfast"

    var document: HTML {
        PageFrame(
            title: "\(Self.heading)", mark: .success, heading: "\(Self.heading)",
            content: """
                <p>This server proves phone numbers. Programs call it; there is nothing to fill in here.</p>
                \(sandbox)
                \(links)
                """
        ).document
    }

    /// - Parameter status: 404 or 405.
    static func failure(_ status: Int) -> HTML {
        let (heading, text) =
            switch status {
            case 405: ("This page cannot be opened like that", "The address is there, but a browser cannot open it.")
            case 503:
                ("Too many are here just now", "Nothing is lost. Wait a few seconds, then go back and try again.")
            default: ("There is no page here", "The address may be incomplete, or too old.")
            }
        let next: HTML =
            status == 503 ? .empty : "<p class=\"next\"><a class=\"button\" href=\"/\">To the start</a></p>"
        return PageFrame(
            title: "\(heading)", mark: status == 503 ? .clock : .stop, heading: "\(heading)",
            content: "<p>\(text)</p>\(next)"
        ).document
    }

    private var sandbox: HTML {
        guard isSandbox else { return .empty }
        return
            "<p>It is a sandbox: numbers, codes and messages are test data. README.md walks through it with curl.</p>"
    }

    private var links: HTML {
        places.reduce(.empty) { html, place in
            "\(html)<p><a href=\"\(place.path)\">\(place.path)</a> \(place.about)</p>"
        }
    }
}
