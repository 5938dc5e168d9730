internal import Possession
internal import SurfaceKit

/// A page with nothing left to decide: how it ended, and what the person can do now.
struct ClosingPage: Sendable {
    private let mark: PageFrame.Mark
    private let heading: String
    private let text: String
    /// Below the text, in small: for those who look after the service.
    private var detail: String?
    private var button: (label: String, address: String)?

    private init(_ mark: PageFrame.Mark, _ heading: String, _ text: String) {
        self.mark = mark
        self.heading = heading
        self.text = text
    }

    private static let goBack = "Go back to where you started and ask for a new one."

    static let superseded = ClosingPage(
        .clock, "There is a newer link", "Only the newest link works. Open the last message you got.")
    static let unknown = ClosingPage(
        .stop, "This link does not work", "It may be incomplete, or too old. \(goBack)")

    /// - Parameter target: where the phone goes on, when it does.
    init(_ reason: LinkEnding.Reason, target: LinkTarget? = nil) {
        switch reason {
        case .approved:
            self.init(
                .success, "You approved the request",
                target == nil
                    ? "You can close this page and go back to where you started."
                    : "If nothing else opens by itself, choose Continue.")
        case .denied:
            self.init(
                .stop, "The request was denied",
                "Nothing was approved. If requests like this keep coming, tell the company they seem to come from.")
        case .expired:
            self.init(.clock, "This link has expired", "Links work for a few minutes only. \(Self.goBack)")
        case .used:
            self.init(.success, "This link was used already", "It works once. \(Self.goBack)")
        case .failed:
            self.init(
                .stop, "This could not be confirmed",
                "The request is closed, and nothing was approved. Go back to where you started to try again.")
        }
        if let target { button = ("Continue", target.text) }
    }

    init(_ error: LinkError) {
        switch error {
        case .body, .field:
            self.init(
                .stop, "Your answer was not understood", "Nothing has been decided. Open the page again to answer.")
        case .rateLimited:
            self.init(.clock, "One moment, please", "Too many requests came at once. Try again in a few seconds.")
        case .overloaded:
            self.init(.clock, "One moment, please", "The service is busy. Try again in a few seconds.")
        case .internalFault:
            self.init(.stop, "Something went wrong", "It is not your fault. Try again in a moment.")
        }
        detail = error.detail
        // An empty address is the page itself, asked for with GET.
        button = ("Open the page again", "")
    }

    var document: HTML {
        PageFrame(
            title: "\(heading)", mark: mark, heading: "\(heading)",
            content: """
                <p>\(text)</p>
                \(detail.map { "<p class=\"help\">\($0)</p>" } ?? .empty)
                \(link)
                """
        ).document
    }

    private var link: HTML {
        guard let button else { return .empty }
        return "<p class=\"next\"><a class=\"button\" href=\"\(button.address)\">\(button.label)</a></p>"
    }
}
