internal import Possession

// Japanese, Korean, Chinese.

extension LinkTexts {
    static let japanese = LinkTexts(
        locale: LanguageTag(checked: "ja"),
        asking: Asking(
            title: "{name}が確認を求めています",
            heading: "{name}がご本人であることの確認を求めています",
            someApp: "アプリ",
            startedIn: "開始元",
            browserOn: "{system}の{browser}",
            unknownBrowser: "不明なブラウザー",
            asked: "依頼時刻",
            answerBy: "回答期限",
            question: "お心当たりがありませんか？",
            warning: "「{deny}」を選んでください。承認すると、その人があなたとしてログインします。",
            warningHere: "「{deny}」を選んでください。続けると、このブラウザーを使っている人があなたとしてログインします。",
            approve: "承認する",
            goOn: "続ける",
            deny: "拒否する"),
        code: Code(
            label: "もう一方の画面の数字",
            help: "開始した画面に表示されている2桁の数字を入力してください。入力できるのは1回です。",
            mistake: "07のように2桁の数字を入力してください。まだ何も決まっていません。",
            error: "エラー："),
        played: Played(
            signInAs: "ログインする人",
            explanation: "サンドボックスがプロバイダーの役をします。パスワードは求められません。"),
        endings: Endings(
            superseded: Notice("新しいリンクがあります", "最新のリンクだけが使えます。最後に届いたメッセージを開いてください。"),
            unknown: Notice("このリンクは使えません", "リンクが途中で切れているか、古すぎる可能性があります。{goBack}"),
            approved: Notice("依頼を承認しました", "このページを閉じて、開始した画面に戻れます。"),
            opensByItself: "自動的に何も開かない場合は、「{continue}」を選んでください。",
            denied: Notice("依頼は拒否されました", "何も承認されていません。このような依頼が続く場合は、送信元と思われる会社にお知らせください。"),
            expired: Notice("このリンクは期限切れです", "リンクが使えるのは数分間だけです。{goBack}"),
            used: Notice("このリンクは使用済みです", "リンクは1回だけ使えます。{goBack}"),
            failed: Notice("確認できませんでした", "依頼は終了し、何も承認されていません。開始した画面に戻って、もう一度お試しください。"),
            notUnderstood: Notice("回答を読み取れませんでした", "まだ何も決まっていません。ページをもう一度開いて回答してください。"),
            tooMany: Notice("しばらくお待ちください", "一度に多くの依頼が届きました。数秒後にもう一度お試しください。"),
            busy: Notice("しばらくお待ちください", "サービスが混み合っています。数秒後にもう一度お試しください。"),
            fault: Notice("問題が発生しました", "お客様に原因はありません。しばらくしてからもう一度お試しください。"),
            openAgain: "ページをもう一度開く",
            goBack: "開始した画面に戻って、新しいリンクを依頼してください。"))

    static let korean = LinkTexts(
        locale: LanguageTag(checked: "ko"),
        asking: Asking(
            title: "{name}에서 확인을 요청합니다",
            heading: "{name}에서 본인이 맞는지 확인을 요청합니다",
            someApp: "앱",
            startedIn: "시작한 곳",
            browserOn: "{system}의 {browser}",
            unknownBrowser: "알 수 없는 브라우저",
            asked: "요청 시각",
            answerBy: "응답 기한",
            question: "직접 시작하지 않으셨나요?",
            warning: "‘{deny}’를 선택하세요. 승인하면 그 사람이 회원님으로 로그인됩니다.",
            warningHere: "‘{deny}’를 선택하세요. 계속하면 이 브라우저를 쓰는 사람이 회원님으로 로그인됩니다.",
            approve: "승인",
            goOn: "계속",
            deny: "거부"),
        code: Code(
            label: "다른 화면에 있는 숫자",
            help: "시작한 화면에 표시된 두 자리 숫자를 입력하세요. 기회는 한 번입니다.",
            mistake: "07처럼 두 자리 숫자를 입력하세요. 아직 아무것도 결정되지 않았습니다.",
            error: "오류:"),
        played: Played(
            signInAs: "로그인할 사람",
            explanation: "샌드박스가 제공자 역할을 합니다. 비밀번호는 묻지 않습니다."),
        endings: Endings(
            superseded: Notice("더 새로운 링크가 있습니다", "가장 새로운 링크만 사용할 수 있습니다. 마지막으로 받은 메시지를 여세요."),
            unknown: Notice("사용할 수 없는 링크입니다", "링크가 완전하지 않거나 너무 오래되었을 수 있습니다. {goBack}"),
            approved: Notice("요청을 승인했습니다", "이 페이지를 닫고 시작한 화면으로 돌아가세요."),
            opensByItself: "자동으로 아무것도 열리지 않으면 ‘{continue}’을 선택하세요.",
            denied: Notice("요청이 거부되었습니다", "아무것도 승인되지 않았습니다. 이런 요청이 계속 오면 요청을 보낸 것으로 보이는 회사에 알려 주세요."),
            expired: Notice("링크가 만료되었습니다", "링크는 몇 분 동안만 사용할 수 있습니다. {goBack}"),
            used: Notice("이미 사용한 링크입니다", "링크는 한 번만 사용할 수 있습니다. {goBack}"),
            failed: Notice("확인하지 못했습니다", "요청이 종료되었고 아무것도 승인되지 않았습니다. 시작한 화면으로 돌아가 다시 시도하세요."),
            notUnderstood: Notice("응답을 이해하지 못했습니다", "아직 아무것도 결정되지 않았습니다. 페이지를 다시 열어 응답하세요."),
            tooMany: Notice("잠시만 기다려 주세요", "한꺼번에 너무 많은 요청이 왔습니다. 몇 초 후에 다시 시도하세요."),
            busy: Notice("잠시만 기다려 주세요", "서비스가 붐비고 있습니다. 몇 초 후에 다시 시도하세요."),
            fault: Notice("문제가 발생했습니다", "회원님의 잘못이 아닙니다. 잠시 후 다시 시도하세요."),
            openAgain: "페이지 다시 열기",
            goBack: "시작한 화면으로 돌아가 새 링크를 요청하세요."))

    static let chinese = LinkTexts(
        locale: LanguageTag(checked: "zh"),
        asking: Asking(
            title: "{name}请您确认",
            heading: "{name}请您确认是您本人",
            someApp: "某个应用",
            startedIn: "发起自",
            browserOn: "{system} 上的 {browser}",
            unknownBrowser: "未知浏览器",
            asked: "请求时间",
            answerBy: "答复期限",
            question: "不是您发起的？",
            warning: "请选择“{deny}”。如果您批准，对方将以您的身份登录。",
            warningHere: "请选择“{deny}”。如果您继续，使用此浏览器的人将以您的身份登录。",
            approve: "批准",
            goOn: "继续",
            deny: "拒绝"),
        code: Code(
            label: "另一屏幕上的数字",
            help: "请输入发起页面上显示的两位数字。您只有一次机会。",
            mistake: "请输入两位数字，例如 07。目前尚未作出任何决定。",
            error: "错误："),
        played: Played(
            signInAs: "登录身份",
            explanation: "沙盒在此扮演服务提供方，不会要求任何人输入密码。"),
        endings: Endings(
            superseded: Notice("已有更新的链接", "只有最新的链接有效。请打开您收到的最后一条消息。"),
            unknown: Notice("此链接无法使用", "链接可能不完整，或者已经过旧。{goBack}"),
            approved: Notice("您已批准该请求", "您可以关闭此页面，返回发起的地方。"),
            opensByItself: "如果没有自动打开其他页面，请选择“{continue}”。",
            denied: Notice("请求已被拒绝", "没有批准任何内容。如果不断收到此类请求，请告知看起来发出请求的公司。"),
            expired: Notice("此链接已过期", "链接仅在几分钟内有效。{goBack}"),
            used: Notice("此链接已被使用", "链接只能使用一次。{goBack}"),
            failed: Notice("无法完成确认", "请求已关闭，没有批准任何内容。请返回发起的地方重试。"),
            notUnderstood: Notice("无法识别您的答复", "尚未作出任何决定。请重新打开页面作答。"),
            tooMany: Notice("请稍候", "一次收到的请求过多。请几秒后重试。"),
            busy: Notice("请稍候", "服务繁忙。请几秒后重试。"),
            fault: Notice("出了点问题", "这不是您的问题。请稍后重试。"),
            openAgain: "重新打开页面",
            goBack: "请返回发起的地方，重新获取链接。"))

    static let traditionalChinese = LinkTexts(
        locale: LanguageTag(checked: "zh-Hant"),
        asking: Asking(
            title: "{name}請您確認",
            heading: "{name}請您確認是您本人",
            someApp: "某個應用程式",
            startedIn: "發起自",
            browserOn: "{system} 上的 {browser}",
            unknownBrowser: "未知的瀏覽器",
            asked: "請求時間",
            answerBy: "回覆期限",
            question: "不是您發起的？",
            warning: "請選擇「{deny}」。如果您核准，對方將以您的身分登入。",
            warningHere: "請選擇「{deny}」。如果您繼續，使用此瀏覽器的人將以您的身分登入。",
            approve: "核准",
            goOn: "繼續",
            deny: "拒絕"),
        code: Code(
            label: "另一個螢幕上的數字",
            help: "請輸入發起頁面上顯示的兩位數字。您只有一次機會。",
            mistake: "請輸入兩位數字，例如 07。目前尚未做出任何決定。",
            error: "錯誤："),
        played: Played(
            signInAs: "登入身分",
            explanation: "沙箱在此扮演服務提供者，不會要求任何人輸入密碼。"),
        endings: Endings(
            superseded: Notice("已有更新的連結", "只有最新的連結有效。請開啟您收到的最後一則訊息。"),
            unknown: Notice("此連結無法使用", "連結可能不完整，或已經太舊。{goBack}"),
            approved: Notice("您已核准此請求", "您可以關閉此頁面，返回發起的地方。"),
            opensByItself: "如果沒有自動開啟其他頁面，請選擇「{continue}」。",
            denied: Notice("請求已遭拒絕", "沒有核准任何內容。如果持續收到此類請求，請告知看似發出請求的公司。"),
            expired: Notice("此連結已過期", "連結僅在幾分鐘內有效。{goBack}"),
            used: Notice("此連結已使用過", "連結只能使用一次。{goBack}"),
            failed: Notice("無法完成確認", "請求已關閉，沒有核准任何內容。請返回發起的地方重試。"),
            notUnderstood: Notice("無法辨識您的回覆", "尚未做出任何決定。請重新開啟頁面作答。"),
            tooMany: Notice("請稍候", "一次收到太多請求。請幾秒後重試。"),
            busy: Notice("請稍候", "服務忙碌中。請幾秒後重試。"),
            fault: Notice("發生問題", "這不是您的問題。請稍後重試。"),
            openAgain: "重新開啟頁面",
            goBack: "請返回發起的地方，重新取得連結。"))
}
