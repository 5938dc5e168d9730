internal import Possession

// Polish, Russian, Ukrainian.

extension LinkTexts {
    static let polish = LinkTexts(
        locale: LanguageTag(checked: "pl"),
        asking: Asking(
            title: "{name} prosi o potwierdzenie",
            heading: "{name} prosi o potwierdzenie, że to Ty",
            someApp: "Aplikacja",
            startedIn: "Rozpoczęto w",
            browserOn: "{browser} ({system})",
            unknownBrowser: "Nieznana przeglądarka",
            asked: "Zapytano",
            answerBy: "Odpowiedz do",
            question: "To nie Ty?",
            warning: "Wybierz „{deny}”. Jeśli zatwierdzisz, ta osoba zaloguje się jako Ty.",
            warningHere: """
                Wybierz „{deny}”. Jeśli przejdziesz dalej, osoba przy tej przeglądarce zaloguje się jako Ty.
                """,
            approve: "Zatwierdź",
            goOn: "Dalej",
            deny: "Odrzuć"),
        code: Code(
            label: "Liczba na drugim ekranie",
            help: "Wpisz dwie cyfry widoczne tam, gdzie zaczęto. Masz jedną próbę.",
            mistake: "Wpisz dwie cyfry, na przykład 07. Nic jeszcze nie postanowiono.",
            error: "Błąd:"),
        played: Played(
            signInAs: "Zaloguj jako",
            explanation: "Środowisko testowe gra rolę dostawcy. Nikt nie jest pytany o hasło."),
        endings: Endings(
            superseded: Notice(
                "Jest nowszy link",
                "Działa tylko najnowszy link. Otwórz ostatnią otrzymaną wiadomość."),
            unknown: Notice("Ten link nie działa", "Może być niepełny albo zbyt stary. {goBack}"),
            approved: Notice("Prośba zatwierdzona", "Możesz zamknąć tę stronę i wrócić tam, gdzie zaczęto."),
            opensByItself: "Jeśli nic nie otworzy się samo, wybierz „{continue}”.",
            denied: Notice(
                "Prośba odrzucona",
                """
                Niczego nie zatwierdzono. Jeśli takie prośby się powtarzają, powiadom firmę, od której wydają \
                się pochodzić.
                """),
            expired: Notice("Ten link wygasł", "Linki działają tylko kilka minut. {goBack}"),
            used: Notice("Ten link został już użyty", "Działa tylko raz. {goBack}"),
            failed: Notice(
                "Nie udało się potwierdzić",
                "Prośba jest zamknięta i niczego nie zatwierdzono. Wróć tam, gdzie zaczęto, i spróbuj ponownie."),
            notUnderstood: Notice(
                "Nie zrozumiano odpowiedzi",
                "Niczego nie postanowiono. Otwórz stronę ponownie, aby odpowiedzieć."),
            tooMany: Notice("Chwileczkę", "Zbyt wiele próśb nadeszło naraz. Spróbuj ponownie za kilka sekund."),
            busy: Notice("Chwileczkę", "Usługa jest zajęta. Spróbuj ponownie za kilka sekund."),
            fault: Notice("Coś poszło nie tak", "To nie Twoja wina. Spróbuj ponownie za chwilę."),
            openAgain: "Otwórz stronę ponownie",
            goBack: "Wróć tam, gdzie zaczęto, i poproś o nowy."))

    static let russian = LinkTexts(
        locale: LanguageTag(checked: "ru"),
        asking: Asking(
            title: "{name} просит подтверждения",
            heading: "{name} просит подтвердить, что это вы",
            someApp: "Приложение",
            startedIn: "Начато в",
            browserOn: "{browser} ({system})",
            unknownBrowser: "Неизвестный браузер",
            asked: "Запрошено",
            answerBy: "Ответить до",
            question: "Это начали не вы?",
            warning: "Нажмите «{deny}». Если вы подтвердите, этот человек войдёт от вашего имени.",
            warningHere: """
                Нажмите «{deny}». Если вы продолжите, тот, кто работает в этом браузере, войдёт от вашего имени.
                """,
            approve: "Подтвердить",
            goOn: "Продолжить",
            deny: "Отклонить"),
        code: Code(
            label: "Число на другом экране",
            help: "Введите две цифры, показанные там, где вы начали. У вас одна попытка.",
            mistake: "Введите две цифры, например 07. Пока ничего не решено.",
            error: "Ошибка:"),
        played: Played(
            signInAs: "Войти как",
            explanation: "Песочница играет роль провайдера. Пароль ни у кого не спрашивают."),
        endings: Endings(
            superseded: Notice(
                "Есть более новая ссылка",
                "Работает только самая новая ссылка. Откройте последнее полученное сообщение."),
            unknown: Notice("Эта ссылка не работает", "Возможно, она неполная или слишком старая. {goBack}"),
            approved: Notice("Вы подтвердили запрос", "Можно закрыть эту страницу и вернуться туда, где вы начали."),
            opensByItself: "Если ничего не открылось само, нажмите «{continue}».",
            denied: Notice(
                "Запрос отклонён",
                """
                Ничего не подтверждено. Если такие запросы повторяются, сообщите компании, от имени которой они \
                приходят.
                """),
            expired: Notice("Срок действия ссылки истёк", "Ссылки действуют всего несколько минут. {goBack}"),
            used: Notice("Эта ссылка уже использована", "Она срабатывает один раз. {goBack}"),
            failed: Notice(
                "Подтвердить не удалось",
                "Запрос закрыт, ничего не подтверждено. Вернитесь туда, где вы начали, и попробуйте ещё раз."),
            notUnderstood: Notice(
                "Ваш ответ не распознан",
                "Ничего не решено. Откройте страницу снова, чтобы ответить."),
            tooMany: Notice(
                "Одну минуту",
                "Поступило слишком много запросов сразу. Попробуйте снова через несколько секунд."),
            busy: Notice("Одну минуту", "Сервис занят. Попробуйте снова через несколько секунд."),
            fault: Notice("Что-то пошло не так", "Это не ваша вина. Попробуйте снова чуть позже."),
            openAgain: "Открыть страницу снова",
            goBack: "Вернитесь туда, где вы начали, и запросите новую."))

    static let ukrainian = LinkTexts(
        locale: LanguageTag(checked: "uk"),
        asking: Asking(
            title: "{name} просить підтвердження",
            heading: "{name} просить підтвердити, що це ви",
            someApp: "Застосунок",
            startedIn: "Розпочато в",
            browserOn: "{browser} ({system})",
            unknownBrowser: "Невідомий браузер",
            asked: "Запитано",
            answerBy: "Відповісти до",
            question: "Це розпочали не ви?",
            warning: "Натисніть «{deny}». Якщо ви підтвердите, ця людина ввійде від вашого імені.",
            warningHere: """
                Натисніть «{deny}». Якщо ви продовжите, той, хто працює в цьому браузері, ввійде від вашого імені.
                """,
            approve: "Підтвердити",
            goOn: "Продовжити",
            deny: "Відхилити"),
        code: Code(
            label: "Число на іншому екрані",
            help: "Введіть дві цифри, показані там, де ви почали. У вас одна спроба.",
            mistake: "Введіть дві цифри, наприклад 07. Поки нічого не вирішено.",
            error: "Помилка:"),
        played: Played(
            signInAs: "Увійти як",
            explanation: "Пісочниця грає роль провайдера. Пароль ні в кого не запитують."),
        endings: Endings(
            superseded: Notice(
                "Є новіше посилання",
                "Працює лише найновіше посилання. Відкрийте останнє отримане повідомлення."),
            unknown: Notice("Це посилання не працює", "Можливо, воно неповне або застаре. {goBack}"),
            approved: Notice("Ви підтвердили запит", "Можна закрити цю сторінку й повернутися туди, де ви почали."),
            opensByItself: "Якщо нічого не відкрилося саме, натисніть «{continue}».",
            denied: Notice(
                "Запит відхилено",
                """
                Нічого не підтверджено. Якщо такі запити повторюються, повідомте компанію, від імені якої вони \
                надходять.
                """),
            expired: Notice("Термін дії посилання минув", "Посилання діють лише кілька хвилин. {goBack}"),
            used: Notice("Це посилання вже використано", "Воно спрацьовує один раз. {goBack}"),
            failed: Notice(
                "Не вдалося підтвердити",
                "Запит закрито, нічого не підтверджено. Поверніться туди, де ви почали, і спробуйте ще раз."),
            notUnderstood: Notice(
                "Вашу відповідь не розпізнано",
                "Нічого не вирішено. Відкрийте сторінку знову, щоб відповісти."),
            tooMany: Notice("Хвилинку", "Надійшло забагато запитів одночасно. Спробуйте знову за кілька секунд."),
            busy: Notice("Хвилинку", "Сервіс зайнятий. Спробуйте знову за кілька секунд."),
            fault: Notice("Щось пішло не так", "Це не ваша вина. Спробуйте знову трохи згодом."),
            openAgain: "Відкрити сторінку знову",
            goBack: "Поверніться туди, де ви почали, і запросіть нове."))
}
