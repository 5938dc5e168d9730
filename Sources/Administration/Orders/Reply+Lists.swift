internal import StrictJSON
internal import SurfaceKit

// Forms of answers that several orders have.

extension Reply {
    /// An object with one member: a list.
    static func list<Element>(_ name: String, of element: Reply<Element>) -> Reply where Value == [Element] {
        Reply { ReplyMember.always(name, .list(of: .object(element))) { $0 } }
    }
}

extension Output where Value == Int64 {
    static var number: Output { Output(.integer(0...Int.max)) { .integer($0) } }
}

extension Output where Value == Int {
    static var count: Output { .integer(0...Int.max) }
}
