package import BuiltInFiles

extension BuiltInFile {
    /// Includes the charset.
    package var mediaType: String {
        let type = hasEnding(".js") ? "text/javascript" : hasEnding(".css") ? "text/css" : "text/html"
        return type + "; charset=utf-8"
    }

    private func hasEnding(_ ending: String) -> Bool {
        name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }
}
