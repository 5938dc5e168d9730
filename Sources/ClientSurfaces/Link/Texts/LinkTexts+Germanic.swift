internal import Possession

// English, German, Dutch, Swedish.

extension LinkTexts {
    static let english = LinkTexts(
        locale: LanguageTag(checked: "en"),
        asking: Asking(
            title: "{name} asks you to confirm",
            heading: "{name} asks you to confirm that it’s you",
            someApp: "An app",
            startedIn: "Started in",
            browserOn: "{browser} on {system}",
            unknownBrowser: "A browser that did not say its name",
            asked: "Asked",
            answerBy: "Answer by",
            question: "Did not start this?",
            warning: "Choose {deny}. If you approve, that person is signed in as you.",
            warningHere: "Choose {deny}. If you continue, the person at this browser is signed in as you.",
            approve: "Approve",
            goOn: "Continue",
            deny: "Deny"),
        code: Code(
            label: "Number on the other screen",
            help: "Type the two digits shown where you started. You have one try.",
            mistake: "Enter two digits, such as 07. Nothing has been decided yet.",
            error: "Error:"),
        played: Played(
            signInAs: "Sign in as",
            explanation: "The sandbox plays the provider. Nobody is asked for a password."),
        endings: Endings(
            superseded: Notice("There is a newer link", "Only the newest link works. Open the last message you got."),
            unknown: Notice("This link does not work", "It may be incomplete, or too old. {goBack}"),
            approved: Notice("You approved the request", "You can close this page and go back to where you started."),
            opensByItself: "If nothing else opens by itself, choose {continue}.",
            denied: Notice(
                "The request was denied",
                "Nothing was approved. If requests like this keep coming, tell the company they seem to come from."),
            expired: Notice("This link has expired", "Links work for a few minutes only. {goBack}"),
            used: Notice("This link was used already", "It works once. {goBack}"),
            failed: Notice(
                "This could not be confirmed",
                "The request is closed, and nothing was approved. Go back to where you started to try again."),
            notUnderstood: Notice(
                "Your answer was not understood",
                "Nothing has been decided. Open the page again to answer."),
            tooMany: Notice("One moment, please", "Too many requests came at once. Try again in a few seconds."),
            busy: Notice("One moment, please", "The service is busy. Try again in a few seconds."),
            fault: Notice("Something went wrong", "It is not your fault. Try again in a moment."),
            openAgain: "Open the page again",
            goBack: "Go back to where you started and ask for a new one."))

    static let german = LinkTexts(
        locale: LanguageTag(checked: "de"),
        asking: Asking(
            title: "{name} bittet um Bestätigung",
            heading: "{name} bittet Sie zu bestätigen, dass Sie es sind",
            someApp: "Eine App",
            startedIn: "Gestartet in",
            browserOn: "{browser} auf {system}",
            unknownBrowser: "Unbekannter Browser",
            asked: "Anfrage",
            answerBy: "Antwort bis",
            question: "Das waren nicht Sie?",
            warning: "Wählen Sie „{deny}“. Wenn Sie zustimmen, wird diese Person als Sie angemeldet.",
            warningHere: """
                Wählen Sie „{deny}“. Wenn Sie fortfahren, wird die Person an diesem Browser als Sie angemeldet.
                """,
            approve: "Zustimmen",
            goOn: "Weiter",
            deny: "Ablehnen"),
        code: Code(
            label: "Zahl auf dem anderen Bildschirm",
            help: "Geben Sie die zwei Ziffern ein, die dort stehen, wo Sie begonnen haben. Sie haben einen Versuch.",
            mistake: "Geben Sie zwei Ziffern ein, etwa 07. Es wurde noch nichts entschieden.",
            error: "Fehler:"),
        played: Played(
            signInAs: "Anmelden als",
            explanation: "Die Sandbox spielt den Anbieter. Niemand wird nach einem Passwort gefragt."),
        endings: Endings(
            superseded: Notice(
                "Es gibt einen neueren Link",
                "Nur der neueste Link funktioniert. Öffnen Sie die letzte Nachricht, die Sie erhalten haben."),
            unknown: Notice(
                "Dieser Link funktioniert nicht",
                "Er ist vielleicht unvollständig oder zu alt. {goBack}"),
            approved: Notice(
                "Sie haben zugestimmt",
                "Sie können diese Seite schließen und dorthin zurückgehen, wo Sie begonnen haben."),
            opensByItself: "Wenn sich nichts von selbst öffnet, wählen Sie „{continue}“.",
            denied: Notice(
                "Die Anfrage wurde abgelehnt",
                """
                Es wurde nichts bestätigt. Wenn solche Anfragen öfter kommen, informieren Sie das Unternehmen, \
                von dem sie zu stammen scheinen.
                """),
            expired: Notice("Dieser Link ist abgelaufen", "Links gelten nur wenige Minuten. {goBack}"),
            used: Notice("Dieser Link wurde bereits benutzt", "Er funktioniert nur einmal. {goBack}"),
            failed: Notice(
                "Das konnte nicht bestätigt werden",
                """
                Die Anfrage ist geschlossen, und es wurde nichts bestätigt. Gehen Sie dorthin zurück, wo Sie \
                begonnen haben, und versuchen Sie es noch einmal.
                """),
            notUnderstood: Notice(
                "Ihre Antwort wurde nicht verstanden",
                "Es wurde nichts entschieden. Öffnen Sie die Seite noch einmal, um zu antworten."),
            tooMany: Notice(
                "Einen Moment bitte",
                "Es kamen zu viele Anfragen auf einmal. Versuchen Sie es in einigen Sekunden noch einmal."),
            busy: Notice(
                "Einen Moment bitte",
                "Der Dienst ist ausgelastet. Versuchen Sie es in einigen Sekunden noch einmal."),
            fault: Notice(
                "Etwas ist schiefgegangen",
                "Es liegt nicht an Ihnen. Versuchen Sie es gleich noch einmal."),
            openAgain: "Seite noch einmal öffnen",
            goBack: "Gehen Sie dorthin zurück, wo Sie begonnen haben, und fordern Sie einen neuen an."))

    static let dutch = LinkTexts(
        locale: LanguageTag(checked: "nl"),
        asking: Asking(
            title: "{name} vraagt om bevestiging",
            heading: "{name} vraagt u te bevestigen dat u het bent",
            someApp: "Een app",
            startedIn: "Gestart in",
            browserOn: "{browser} op {system}",
            unknownBrowser: "Onbekende browser",
            asked: "Gevraagd",
            answerBy: "Antwoord vóór",
            question: "Niet door u gestart?",
            warning: "Kies ‘{deny}’. Als u goedkeurt, wordt die persoon als u ingelogd.",
            warningHere: "Kies ‘{deny}’. Als u doorgaat, wordt de persoon achter deze browser als u ingelogd.",
            approve: "Goedkeuren",
            goOn: "Doorgaan",
            deny: "Weigeren"),
        code: Code(
            label: "Getal op het andere scherm",
            help: "Typ de twee cijfers die staan waar u bent begonnen. U hebt één poging.",
            mistake: "Voer twee cijfers in, zoals 07. Er is nog niets besloten.",
            error: "Fout:"),
        played: Played(
            signInAs: "Inloggen als",
            explanation: "De sandbox speelt de aanbieder. Niemand wordt om een wachtwoord gevraagd."),
        endings: Endings(
            superseded: Notice(
                "Er is een nieuwere link",
                "Alleen de nieuwste link werkt. Open het laatste bericht dat u hebt gekregen."),
            unknown: Notice("Deze link werkt niet", "De link is misschien onvolledig of te oud. {goBack}"),
            approved: Notice(
                "U hebt het verzoek goedgekeurd",
                "U kunt deze pagina sluiten en teruggaan naar waar u bent begonnen."),
            opensByItself: "Als er niets vanzelf wordt geopend, kies dan ‘{continue}’.",
            denied: Notice(
                "Het verzoek is geweigerd",
                """
                Er is niets goedgekeurd. Blijven zulke verzoeken komen, meld het dan aan het bedrijf waarvan ze \
                lijken te komen.
                """),
            expired: Notice("Deze link is verlopen", "Links werken maar een paar minuten. {goBack}"),
            used: Notice("Deze link is al gebruikt", "De link werkt één keer. {goBack}"),
            failed: Notice(
                "Dit kon niet worden bevestigd",
                """
                Het verzoek is gesloten en er is niets goedgekeurd. Ga terug naar waar u bent begonnen om het \
                opnieuw te proberen.
                """),
            notUnderstood: Notice(
                "Uw antwoord is niet begrepen",
                "Er is niets besloten. Open de pagina opnieuw om te antwoorden."),
            tooMany: Notice(
                "Een ogenblik geduld",
                "Er kwamen te veel verzoeken tegelijk. Probeer het over enkele seconden opnieuw."),
            busy: Notice("Een ogenblik geduld", "De dienst is bezet. Probeer het over enkele seconden opnieuw."),
            fault: Notice("Er is iets misgegaan", "Het ligt niet aan u. Probeer het zo meteen opnieuw."),
            openAgain: "De pagina opnieuw openen",
            goBack: "Ga terug naar waar u bent begonnen en vraag een nieuwe aan."))

    static let swedish = LinkTexts(
        locale: LanguageTag(checked: "sv"),
        asking: Asking(
            title: "{name} ber dig bekräfta",
            heading: "{name} ber dig bekräfta att det är du",
            someApp: "En app",
            startedIn: "Startat i",
            browserOn: "{browser} på {system}",
            unknownBrowser: "Okänd webbläsare",
            asked: "Begärt",
            answerBy: "Svara före",
            question: "Var det inte du?",
            warning: "Välj ”{deny}”. Om du godkänner loggas den personen in som du.",
            warningHere: "Välj ”{deny}”. Om du fortsätter loggas personen vid den här webbläsaren in som du.",
            approve: "Godkänn",
            goOn: "Fortsätt",
            deny: "Neka"),
        code: Code(
            label: "Talet på den andra skärmen",
            help: "Skriv de två siffror som visas där du började. Du har ett försök.",
            mistake: "Skriv två siffror, till exempel 07. Inget har avgjorts än.",
            error: "Fel:"),
        played: Played(
            signInAs: "Logga in som",
            explanation: "Sandlådan spelar leverantören. Ingen tillfrågas om lösenord."),
        endings: Endings(
            superseded: Notice(
                "Det finns en nyare länk",
                "Bara den nyaste länken fungerar. Öppna det senaste meddelandet du fick."),
            unknown: Notice("Länken fungerar inte", "Den kan vara ofullständig eller för gammal. {goBack}"),
            approved: Notice("Du godkände begäran", "Du kan stänga sidan och gå tillbaka dit där du började."),
            opensByItself: "Om inget öppnas av sig självt väljer du ”{continue}”.",
            denied: Notice(
                "Begäran nekades",
                """
                Inget har godkänts. Om sådana förfrågningar fortsätter att komma, berätta det för företaget som \
                de verkar komma från.
                """),
            expired: Notice("Länken har gått ut", "Länkar fungerar bara i några minuter. {goBack}"),
            used: Notice("Länken har redan använts", "Den fungerar en gång. {goBack}"),
            failed: Notice(
                "Det gick inte att bekräfta",
                "Begäran är avslutad och inget har godkänts. Gå tillbaka dit där du började och försök igen."),
            notUnderstood: Notice(
                "Ditt svar kunde inte tolkas",
                "Inget har avgjorts. Öppna sidan igen för att svara."),
            tooMany: Notice(
                "Ett ögonblick",
                "För många förfrågningar kom på en gång. Försök igen om några sekunder."),
            busy: Notice("Ett ögonblick", "Tjänsten är upptagen. Försök igen om några sekunder."),
            fault: Notice("Något gick fel", "Det är inte ditt fel. Försök igen om en stund."),
            openAgain: "Öppna sidan igen",
            goBack: "Gå tillbaka dit där du började och be om en ny."))
}
