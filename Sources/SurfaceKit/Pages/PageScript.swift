/// The one script of all pages: shows each time by the phone's clock and time zone, in the page's language. Without it the
/// page says them in UTC. The policy permits it by its digest.
package enum PageScript {
    package static let text = """
        for(const t of document.querySelectorAll("time"))try{const l=document.documentElement.lang,\
        f={timeStyle:"short"};if(t.className)f.dateStyle="medium";t.textContent=new Intl.DateTimeFormat(\
        navigator.languages.find(n=>n.startsWith(l))||l,f).format(new Date(t.dateTime));t.dir="auto"}catch{}
        """

    /// As it stands in the page: nothing in it ends the element, so the bytes are those of `text`.
    package static var markup: HTML { HTML(trusted: text) }
}
