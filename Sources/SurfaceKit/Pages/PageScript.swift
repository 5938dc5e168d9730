/// The only script of all pages: shows each time in the phone's time zone and the page's language. Without it the page
/// shows UTC. The policy allows it by its digest.
package enum PageScript {
    package static let text = """
        for(const t of document.querySelectorAll("time"))try{const l=document.documentElement.lang,\
        f={timeStyle:"short"};if(t.className)f.dateStyle="medium";t.textContent=new Intl.DateTimeFormat(\
        navigator.languages.find(n=>n.startsWith(l))||l,f).format(new Date(t.dateTime));t.dir="auto"}catch{}
        """

    /// The script as embedded in the page. It contains nothing that ends the element, so its bytes are those of `text`.
    package static var markup: HTML { HTML(trusted: text) }
}
