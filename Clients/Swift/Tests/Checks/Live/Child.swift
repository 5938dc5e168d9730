import Foundation
import Holdfast

func runChild(token: String, scratch: URL, stopAt: String) async {}
