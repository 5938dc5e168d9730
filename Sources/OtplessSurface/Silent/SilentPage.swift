internal import SurfaceKit

/// Pages for a person whose browser opened a hop of a chain.
enum SilentPage {
    static func question(_ asker: String) -> HTML {
        let name = SanitizedDisplayName(asker, orElse: "An app").text
        return PageFrame(
            title: "\(name) asks to check your number", mark: .question,
            heading: "<bdi>\(name)</bdi> asks your mobile network to confirm your number",
            content: """
                <p class="warning" id="warning"><strong>Did not start this?</strong> Close this page. If you continue, \
                the person who did is signed in as you.</p>
                <form method="post">
                <button class="approve" type="submit" aria-describedby="warning">Continue</button>
                </form>
                <p class="help">It works over mobile data only, not over Wi-Fi.</p>
                """
        ).document
    }

    static func end(_ state: SilentAnswer.State) -> HTML {
        let (mark, heading, text): (PageFrame.Mark, HTML, HTML) =
            switch state {
            case .success: (.success, "Your number is confirmed", "You can close this page and go back.")
            case .failed:
                (.stop, "Your number was not confirmed", "Go back to where you started, and try another way.")
            }
        return PageFrame(title: heading, mark: mark, heading: heading, content: "<p>\(text)</p>").document
    }
}
