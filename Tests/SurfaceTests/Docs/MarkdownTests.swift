@testable import DocsSurface
@testable import SurfaceTestSupport
import SurfaceKit
import Testing

/// Pages of Markdown, and the addresses of their links.
struct MarkdownTests {
    private func markdown(_ text: String, page: String = "operate/backup") -> Markdown {
        Markdown(Array(text.utf8)) { SitePath.address(of: $0, from: page) }
    }

    @Test func `a heading has the anchor that GitHub gives it`() {
        let page = markdown(
            "# Codes & keys\n\ntext\n\n## What is `HOLDFAST_MODE`?\n\n## Über alles_1\n\n## Twice\n\n## Twice\n")
        #expect(page.title == "Codes & keys")
        #expect(
            page.sections.map(\.anchor) == ["codes--keys", "what-is-holdfast_mode", "über-alles_1", "twice", "twice-1"])
        #expect(page.html.text.contains("<h2 id=\"what-is-holdfast_mode\">What is <code>HOLDFAST_MODE</code>?</h2>"))
    }

    @Test(arguments: [
        ("keys.md", "/docs/operate/keys"), ("../limits.md#calls", "/docs/limits#calls"), ("#there", "#there"),
        ("../pictures/a.svg", "/docs/pictures/a.svg"),
    ]) func `a link to a page leads to its address`(link: String, address: String) {
        #expect(SitePath.address(of: link, from: "operate/backup") == address)
    }

    @Test(arguments: ["../../README.md", "../../deploy/compose.yaml", "../../../x.md", "../data/inventory.tsv"])
    func `a link to a file that is not on the site leads nowhere`(link: String) {
        #expect(SitePath.address(of: link, from: "operate/backup") == nil)
    }

    @Test func `a link that leads nowhere keeps its text`() {
        let page = markdown(
            "# A\n\n[the readme](../../README.md), [keys](keys.md), [RFC](https://example.com/a?b=1&c=2)\n")
        #expect(
            page.html.text.contains(
                """
                <p>the readme, <a href="/docs/operate/keys">keys</a>, <a href="https://example.com/a?b=1&amp;c=2">RFC</a></p>
                """))
    }

    @Test func `markup in the text stays text`() {
        let page = markdown("# A\n\n<script>alert(1)</script> `<b>`\n\n<div onclick=x>\n\n| a |\n| --- |\n| <i> |\n")
        for tag in ["<script", "<b>", "<div", "<i>"] { #expect(!page.html.text.contains(tag)) }
        #expect(page.lead == "<script>alert(1)</script> <b>")
    }

    @Test func `a section has its words, and words of two cells are two`() {
        let page = markdown(
            "# A\n\nFirst *word*s here.\nNext.\n\n## B\n\n| one | two |\n| --- | --- |\n| 3&4 | `x` |\n\n- five\n- six\n"
        )
        #expect(page.lead == "First words here. Next.")
        #expect(page.sections.map(\.text) == ["First words here. Next.", "one two 3&4 x five six"])
    }

    @Test func `an empty page has no section`() {
        #expect(markdown("").sections.isEmpty && markdown("").title == "" && markdown("only text").lead == "")
    }
}
