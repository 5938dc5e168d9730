import Foundation
import StrictJSON
import Testing
import Text

@testable import Possession
@testable import ProveSurfaces
@testable import SurfaceKit

/// The catalogue of events against the events, and against the page for people.
@Suite struct WebhookCatalogueTests {
    @Test func `has every type once`() {
        let types = WebhookCatalogue.groups.flatMap { $0.kinds.map(\.type) }
        #expect(types.count == WebhookEventType.allCases.count)
        #expect(Set(types) == Set(WebhookEventType.allCases))
    }

    @Test func `describes each member that it names`() {
        for group in WebhookCatalogue.groups {
            let names = Set(group.data.map(\.name))
            #expect(names.count == group.data.count, "\(group.name)")
            for kind in group.kinds { #expect(names.isSuperset(of: kind.members), "\(kind.type)") }
        }
    }

    /// A row names its types, and the members that their bodies have more.
    @Test func `says of each event what the page says`() throws {
        let page = try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/webhooks/events.md").standardized,
            encoding: .utf8)
        let rows = page.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "|") }
        let ofLimits = Self.words(page.components(separatedBy: "\n## Limits\n")[1].components(separatedBy: "\n## ")[0])
        var before: Set<String> = []
        var seen: Set<WebhookEventType> = []
        for row in rows where row.count >= 3 {
            let kinds = WebhookCatalogue.groups.flatMap(\.kinds).filter { kind in
                row[0].contains("`\(kind.type.rawValue)`")
            }
            guard !kinds.isEmpty, seen.isDisjoint(with: kinds.map(\.type)) else { continue }
            seen.formUnion(kinds.map(\.type))
            var words = Self.words(String(row[2]))
            if row[2].contains("the same") || row[2].contains("as above") { words.formUnion(before) }
            before = words
            if row[2].contains("#limits") || kinds.contains(where: { $0.type.group.elementsEqual("risk".utf8) })
                || kinds.contains(where: { $0.type.group.elementsEqual("budget".utf8) })
            {
                words.formUnion(ofLimits)
            }
            let members = Set(kinds.flatMap(\.members))
            #expect(members.subtracting(words) == [], "\(row[0])")
            if words.isDisjoint(with: ofLimits) || words.count <= members.count {
                #expect(words.subtracting(members) == [], "\(row[0])")
            }
        }
        #expect(seen == Set(WebhookEventType.allCases))
    }

    /// The names of members in the text, without what stands in parentheses: values.
    private static func words(_ text: String) -> Set<String> {
        let bare = text.replacing(/\([^)]*\)/, with: "")
        return Set(bare.matches(of: /`([a-z]+[A-Za-z]*)`/).map { String($0.1) })
    }
}
