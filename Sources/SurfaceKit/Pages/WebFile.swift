internal import CWebFiles
internal import Text

/// A file for browsers that is built into the program (`Sources/CWebFiles`).
package struct WebFile: Sendable {
    /// Such as `holdfast.js`.
    package let name: String
    package let bytes: [UInt8]
    /// The same in gzip, where there is such a copy.
    package let compressed: [UInt8]?

    /// Those of a folder, such as `sdk`.
    package static func all(in folder: String) -> [WebFile] {
        var found: [WebFile] = []
        var index: Int32 = 0
        while let file = cwebfiles_at(index)?.pointee {
            index += 1
            let path = String(cString: file.path).utf8
            guard let slash = path.firstIndex(of: UInt8(ascii: "/")), path[..<slash].elementsEqual(folder.utf8) else {
                continue
            }
            found.append(
                WebFile(
                    name: String(decoding: path[slash...].dropFirst(), as: UTF8.self),
                    bytes: Array(UnsafeBufferPointer(start: file.bytes, count: file.count)),
                    compressed: file.compressed.map {
                        Array(UnsafeBufferPointer(start: $0, count: file.compressed_count))
                    }))
        }
        return found
    }

    /// With charset.
    package var mediaType: String {
        let type = hasEnding(".js") ? "text/javascript" : hasEnding(".css") ? "text/css" : "text/html"
        return type + "; charset=utf-8"
    }

    private func hasEnding(_ ending: String) -> Bool {
        name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }
}
