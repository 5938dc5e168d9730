internal import Possession

// French, Spanish, Portuguese, Italian.

extension LinkTexts {
    static let french = LinkTexts(
        locale: LanguageTag(checked: "fr"),
        asking: Asking(
            title: "{name} vous demande de confirmer",
            heading: "{name} vous demande de confirmer que c’est bien vous",
            someApp: "Une application",
            startedIn: "Commencé dans",
            browserOn: "{browser} sur {system}",
            unknownBrowser: "Navigateur inconnu",
            asked: "Demandé",
            answerBy: "Répondre avant",
            question: "Ce n’était pas vous\u{A0}?",
            warning: """
                Choisissez «\u{A0}{deny}\u{A0}». Si vous approuvez, cette personne sera connectée en votre nom.
                """,
            warningHere: """
                Choisissez «\u{A0}{deny}\u{A0}». Si vous continuez, la personne devant ce navigateur sera connectée \
                en votre nom.
                """,
            approve: "Approuver",
            goOn: "Continuer",
            deny: "Refuser"),
        code: Code(
            label: "Nombre sur l’autre écran",
            help: "Saisissez les deux chiffres affichés là où vous avez commencé. Vous avez un seul essai.",
            mistake: "Saisissez deux chiffres, par exemple 07. Rien n’est encore décidé.",
            error: "Erreur\u{A0}:"),
        played: Played(
            signInAs: "Se connecter comme",
            explanation: "Le bac à sable joue le fournisseur. Aucun mot de passe n’est demandé."),
        endings: Endings(
            superseded: Notice(
                "Il existe un lien plus récent",
                "Seul le lien le plus récent fonctionne. Ouvrez le dernier message reçu."),
            unknown: Notice("Ce lien ne fonctionne pas", "Il est peut-être incomplet ou trop ancien. {goBack}"),
            approved: Notice(
                "Vous avez approuvé la demande",
                "Vous pouvez fermer cette page et revenir là où vous avez commencé."),
            opensByItself: "Si rien ne s’ouvre tout seul, choisissez «\u{A0}{continue}\u{A0}».",
            denied: Notice(
                "La demande a été refusée",
                """
                Rien n’a été approuvé. Si de telles demandes se répètent, prévenez l’entreprise dont elles \
                semblent venir.
                """),
            expired: Notice("Ce lien a expiré", "Les liens ne fonctionnent que quelques minutes. {goBack}"),
            used: Notice("Ce lien a déjà été utilisé", "Il ne fonctionne qu’une fois. {goBack}"),
            failed: Notice(
                "La confirmation n’a pas abouti",
                "La demande est close et rien n’a été approuvé. Revenez là où vous avez commencé pour réessayer."),
            notUnderstood: Notice(
                "Votre réponse n’a pas été comprise",
                "Rien n’a été décidé. Ouvrez de nouveau la page pour répondre."),
            tooMany: Notice(
                "Un instant",
                "Trop de demandes sont arrivées à la fois. Réessayez dans quelques secondes."),
            busy: Notice("Un instant", "Le service est occupé. Réessayez dans quelques secondes."),
            fault: Notice("Une erreur est survenue", "Ce n’est pas de votre fait. Réessayez dans un instant."),
            openAgain: "Rouvrir la page",
            goBack: "Revenez là où vous avez commencé et demandez-en un nouveau."))

    static let spanish = LinkTexts(
        locale: LanguageTag(checked: "es"),
        asking: Asking(
            title: "{name} le pide que confirme",
            heading: "{name} le pide que confirme que es usted",
            someApp: "Una aplicación",
            startedIn: "Iniciado en",
            browserOn: "{browser} en {system}",
            unknownBrowser: "Navegador desconocido",
            asked: "Solicitado",
            answerBy: "Responder antes de",
            question: "¿No ha sido usted?",
            warning: "Elija «{deny}». Si aprueba, esa persona entrará en nombre de usted.",
            warningHere: "Elija «{deny}». Si continúa, la persona que usa este navegador entrará en nombre de usted.",
            approve: "Aprobar",
            goOn: "Continuar",
            deny: "Rechazar"),
        code: Code(
            label: "Número de la otra pantalla",
            help: "Escriba los dos dígitos que se muestran donde empezó. Tiene un solo intento.",
            mistake: "Escriba dos dígitos, como 07. Todavía no se ha decidido nada.",
            error: "Error:"),
        played: Played(
            signInAs: "Entrar como",
            explanation: "El entorno de pruebas hace de proveedor. A nadie se le pide una contraseña."),
        endings: Endings(
            superseded: Notice(
                "Hay un enlace más reciente",
                "Solo funciona el enlace más reciente. Abra el último mensaje que ha recibido."),
            unknown: Notice("Este enlace no funciona", "Puede estar incompleto o ser demasiado antiguo. {goBack}"),
            approved: Notice("Ha aprobado la solicitud", "Puede cerrar esta página y volver a donde empezó."),
            opensByItself: "Si no se abre nada por sí solo, elija «{continue}».",
            denied: Notice(
                "La solicitud se ha rechazado",
                """
                No se ha aprobado nada. Si siguen llegando solicitudes como esta, avise a la empresa de la que \
                parecen venir.
                """),
            expired: Notice("Este enlace ha caducado", "Los enlaces solo funcionan unos minutos. {goBack}"),
            used: Notice("Este enlace ya se ha usado", "Funciona una sola vez. {goBack}"),
            failed: Notice(
                "No se ha podido confirmar",
                """
                La solicitud está cerrada y no se ha aprobado nada. Vuelva a donde empezó para intentarlo de \
                nuevo.
                """),
            notUnderstood: Notice(
                "No se ha entendido su respuesta",
                "No se ha decidido nada. Abra la página de nuevo para responder."),
            tooMany: Notice(
                "Un momento, por favor",
                "Han llegado demasiadas solicitudes a la vez. Inténtelo de nuevo en unos segundos."),
            busy: Notice("Un momento, por favor", "El servicio está ocupado. Inténtelo de nuevo en unos segundos."),
            fault: Notice("Algo ha ido mal", "No es culpa suya. Inténtelo de nuevo en un momento."),
            openAgain: "Abrir la página de nuevo",
            goBack: "Vuelva a donde empezó y pida uno nuevo."))

    static let portuguese = LinkTexts(
        locale: LanguageTag(checked: "pt"),
        asking: Asking(
            title: "{name} pede sua confirmação",
            heading: "{name} pede que você confirme que é você",
            someApp: "Um aplicativo",
            startedIn: "Iniciado em",
            browserOn: "{browser} em {system}",
            unknownBrowser: "Navegador desconhecido",
            asked: "Solicitado",
            answerBy: "Responder até",
            question: "Não foi você?",
            warning: "Escolha “{deny}”. Se você aprovar, essa pessoa entrará em seu nome.",
            warningHere: "Escolha “{deny}”. Se você continuar, a pessoa que usa este navegador entrará em seu nome.",
            approve: "Aprovar",
            goOn: "Continuar",
            deny: "Recusar"),
        code: Code(
            label: "Número na outra tela",
            help: "Digite os dois dígitos mostrados onde você começou. Você tem uma tentativa.",
            mistake: "Digite dois dígitos, como 07. Nada foi decidido ainda.",
            error: "Erro:"),
        played: Played(
            signInAs: "Entrar como",
            explanation: "O ambiente de testes faz o papel do provedor. Ninguém precisa informar senha."),
        endings: Endings(
            superseded: Notice(
                "Há um link mais novo",
                "Só o link mais novo funciona. Abra a última mensagem que você recebeu."),
            unknown: Notice("Este link não funciona", "Ele pode estar incompleto ou ser antigo demais. {goBack}"),
            approved: Notice("Você aprovou o pedido", "Você pode fechar esta página e voltar para onde começou."),
            opensByItself: "Se nada abrir sozinho, escolha “{continue}”.",
            denied: Notice(
                "O pedido foi recusado",
                """
                Nada foi aprovado. Se pedidos assim continuarem chegando, avise a empresa de onde eles parecem \
                vir.
                """),
            expired: Notice("Este link expirou", "Os links funcionam só por alguns minutos. {goBack}"),
            used: Notice("Este link já foi usado", "Ele funciona uma vez. {goBack}"),
            failed: Notice(
                "Não foi possível confirmar",
                "O pedido foi encerrado e nada foi aprovado. Volte para onde você começou e tente de novo."),
            notUnderstood: Notice(
                "Sua resposta não foi entendida",
                "Nada foi decidido. Abra a página de novo para responder."),
            tooMany: Notice(
                "Um momento, por favor",
                "Chegaram pedidos demais de uma vez. Tente de novo em alguns segundos."),
            busy: Notice("Um momento, por favor", "O serviço está ocupado. Tente de novo em alguns segundos."),
            fault: Notice("Algo deu errado", "A culpa não é sua. Tente de novo em instantes."),
            openAgain: "Abrir a página de novo",
            goBack: "Volte para onde você começou e peça um novo."))

    static let portugueseOfPortugal = LinkTexts(
        locale: LanguageTag(checked: "pt-PT"),
        asking: Asking(
            title: "{name} pede a sua confirmação",
            heading: "{name} pede-lhe que confirme a sua identidade",
            someApp: "Uma aplicação",
            startedIn: "Iniciado em",
            browserOn: "{browser} em {system}",
            unknownBrowser: "Navegador desconhecido",
            asked: "Pedido",
            answerBy: "Responder até",
            question: "Não foi iniciado por si?",
            warning: "Escolha «{deny}». Se aprovar, essa pessoa inicia sessão em seu nome.",
            warningHere: "Escolha «{deny}». Se continuar, a pessoa que usa este navegador inicia sessão em seu nome.",
            approve: "Aprovar",
            goOn: "Continuar",
            deny: "Recusar"),
        code: Code(
            label: "Número no outro ecrã",
            help: "Escreva os dois dígitos mostrados onde começou. Tem uma tentativa.",
            mistake: "Escreva dois dígitos, como 07. Ainda nada foi decidido.",
            error: "Erro:"),
        played: Played(
            signInAs: "Iniciar sessão como",
            explanation: "O ambiente de testes faz de fornecedor. A ninguém é pedida a palavra-passe."),
        endings: Endings(
            superseded: Notice(
                "Há um link mais recente",
                "Só o link mais recente funciona. Abra a última mensagem que recebeu."),
            unknown: Notice("Este link não funciona", "Pode estar incompleto ou ser demasiado antigo. {goBack}"),
            approved: Notice("Aprovou o pedido", "Pode fechar esta página e voltar ao sítio onde começou."),
            opensByItself: "Se nada se abrir por si, escolha «{continue}».",
            denied: Notice(
                "O pedido foi recusado",
                "Nada foi aprovado. Se continuar a receber pedidos destes, avise a empresa de onde parecem vir."),
            expired: Notice("Este link expirou", "Os links funcionam apenas durante alguns minutos. {goBack}"),
            used: Notice("Este link já foi utilizado", "Funciona uma vez. {goBack}"),
            failed: Notice(
                "Não foi possível confirmar",
                "O pedido está fechado e nada foi aprovado. Volte ao sítio onde começou para tentar de novo."),
            notUnderstood: Notice(
                "A sua resposta não foi compreendida",
                "Nada foi decidido. Abra a página de novo para responder."),
            tooMany: Notice(
                "Um momento, por favor",
                "Chegaram demasiados pedidos de uma vez. Tente de novo dentro de alguns segundos."),
            busy: Notice("Um momento, por favor", "O serviço está ocupado. Tente de novo dentro de alguns segundos."),
            fault: Notice("Algo correu mal", "A culpa não é sua. Tente de novo dentro de momentos."),
            openAgain: "Abrir a página de novo",
            goBack: "Volte ao sítio onde começou e peça um novo."))

    static let italian = LinkTexts(
        locale: LanguageTag(checked: "it"),
        asking: Asking(
            title: "{name} Le chiede una conferma",
            heading: "{name} Le chiede di confermare che è Lei",
            someApp: "Un’app",
            startedIn: "Avviato in",
            browserOn: "{browser} su {system}",
            unknownBrowser: "Browser sconosciuto",
            asked: "Richiesto",
            answerBy: "Rispondere entro",
            question: "Non l’ha avviato Lei?",
            warning: "Scelga «{deny}». Se approva, quella persona accede a Suo nome.",
            warningHere: "Scelga «{deny}». Se continua, la persona che usa questo browser accede a Suo nome.",
            approve: "Approva",
            goOn: "Continua",
            deny: "Rifiuta"),
        code: Code(
            label: "Numero sull’altro schermo",
            help: "Digiti le due cifre mostrate dove ha iniziato. Ha un solo tentativo.",
            mistake: "Digiti due cifre, ad esempio 07. Non è stato ancora deciso nulla.",
            error: "Errore:"),
        played: Played(
            signInAs: "Accedi come",
            explanation: "L’ambiente di prova fa da fornitore. A nessuno viene chiesta una password."),
        endings: Endings(
            superseded: Notice(
                "C’è un link più recente",
                "Funziona solo il link più recente. Apra l’ultimo messaggio ricevuto."),
            unknown: Notice("Questo link non funziona", "Può essere incompleto o troppo vecchio. {goBack}"),
            approved: Notice("Ha approvato la richiesta", "Può chiudere questa pagina e tornare dove ha iniziato."),
            opensByItself: "Se non si apre nulla da solo, scelga «{continue}».",
            denied: Notice(
                "La richiesta è stata rifiutata",
                """
                Non è stato approvato nulla. Se continua a ricevere richieste simili, avvisi l’azienda da cui \
                sembrano provenire.
                """),
            expired: Notice("Questo link è scaduto", "I link funzionano solo per pochi minuti. {goBack}"),
            used: Notice("Questo link è già stato usato", "Funziona una sola volta. {goBack}"),
            failed: Notice(
                "Non è stato possibile confermare",
                "La richiesta è chiusa e non è stato approvato nulla. Torni dove ha iniziato per riprovare."),
            notUnderstood: Notice(
                "La risposta non è stata compresa",
                "Non è stato deciso nulla. Apra di nuovo la pagina per rispondere."),
            tooMany: Notice(
                "Un momento, per favore",
                "Sono arrivate troppe richieste insieme. Riprovi tra qualche secondo."),
            busy: Notice("Un momento, per favore", "Il servizio è occupato. Riprovi tra qualche secondo."),
            fault: Notice("Qualcosa è andato storto", "Non dipende da Lei. Riprovi tra un momento."),
            openAgain: "Apri di nuovo la pagina",
            goBack: "Torni dove ha iniziato e ne chieda uno nuovo."))
}
