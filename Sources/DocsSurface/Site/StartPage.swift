internal import SurfaceKit

/// The first page: each guide with its first sentence, and each surface.
struct StartPage: Sendable {
    let guides: [Guide]
    let documents: [ReferenceDocument]

    var html: HTML {
        """
        <h1>Holdfast documentation</h1>
        <p>Holdfast proves that a person holds the phone number they claim. Guides say how to use and to run it; the \
        reference describes every call of every surface.</p>
        \(joined(GuideGroup.all.map(group)))
        <h2 id="reference">Reference</h2>
        <ul class="cards">\(joined(documents.map(card)))</ul>
        """
    }

    private func card(_ document: ReferenceDocument) -> HTML {
        """
        <li><a href="\(document.address)">\(document.heading)</a> <small>\(String(document.calls.count)) calls</small></li>
        """
    }

    private func group(_ group: GuideGroup) -> HTML {
        let cards = group.names.compactMap { name in guides.first { $0.name == name } }.map { guide -> HTML in
            """
            <li><a href="\(guide.address)">\(guide.markdown.title)</a> <small>\(firstSentence(guide.markdown.lead))</small></li>
            """
        }
        return "<h2>\(group.heading)</h2><ul class=\"cards\">\(joined(cards))</ul>"
    }

    private func firstSentence(_ text: String) -> String {
        text.firstRange(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
    }
}
