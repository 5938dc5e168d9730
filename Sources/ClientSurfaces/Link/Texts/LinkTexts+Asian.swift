internal import Possession

// Turkish, Arabic, Hindi, Indonesian, Vietnamese.

extension LinkTexts {
    static let turkish = LinkTexts(
        locale: LanguageTag(checked: "tr"),
        asking: Asking(
            title: "{name} onayınızı istiyor",
            heading: "{name}, bunun siz olduğunuzu onaylamanızı istiyor",
            someApp: "Bir uygulama",
            startedIn: "Başlangıç",
            browserOn: "{browser} ({system})",
            unknownBrowser: "Bilinmeyen tarayıcı",
            asked: "İstek",
            answerBy: "Son yanıt",
            question: "Bunu siz başlatmadınız mı?",
            warning: "“{deny}” düğmesine basın. Onaylarsanız o kişi sizin adınıza oturum açar.",
            warningHere: """
                “{deny}” düğmesine basın. Devam ederseniz bu tarayıcıyı kullanan kişi sizin adınıza oturum açar.
                """,
            approve: "Onayla",
            goOn: "Devam et",
            deny: "Reddet"),
        code: Code(
            label: "Diğer ekrandaki sayı",
            help: "Başladığınız yerde gösterilen iki rakamı yazın. Tek bir hakkınız var.",
            mistake: "İki rakam yazın, örneğin 07. Henüz hiçbir şeye karar verilmedi.",
            error: "Hata:"),
        played: Played(
            signInAs: "Oturum açan",
            explanation: "Deneme ortamı sağlayıcı rolündedir. Kimseye parola sorulmaz."),
        endings: Endings(
            superseded: Notice(
                "Daha yeni bir bağlantı var",
                "Yalnızca en yeni bağlantı çalışır. Aldığınız son mesajı açın."),
            unknown: Notice("Bu bağlantı çalışmıyor", "Eksik ya da çok eski olabilir. {goBack}"),
            approved: Notice("İsteği onayladınız", "Bu sayfayı kapatıp başladığınız yere dönebilirsiniz."),
            opensByItself: "Kendiliğinden bir şey açılmazsa “{continue}” düğmesine basın.",
            denied: Notice(
                "İstek reddedildi",
                """
                Hiçbir şey onaylanmadı. Bu tür istekler gelmeye devam ederse, geldikleri anlaşılan şirkete \
                bildirin.
                """),
            expired: Notice("Bu bağlantının süresi doldu", "Bağlantılar yalnızca birkaç dakika çalışır. {goBack}"),
            used: Notice("Bu bağlantı zaten kullanıldı", "Yalnızca bir kez çalışır. {goBack}"),
            failed: Notice(
                "Bu onaylanamadı",
                "İstek kapatıldı ve hiçbir şey onaylanmadı. Yeniden denemek için başladığınız yere dönün."),
            notUnderstood: Notice(
                "Yanıtınız anlaşılamadı",
                "Hiçbir şeye karar verilmedi. Yanıtlamak için sayfayı yeniden açın."),
            tooMany: Notice(
                "Bir dakika lütfen",
                "Aynı anda çok fazla istek geldi. Birkaç saniye sonra yeniden deneyin."),
            busy: Notice("Bir dakika lütfen", "Hizmet meşgul. Birkaç saniye sonra yeniden deneyin."),
            fault: Notice("Bir şeyler ters gitti", "Bu sizin hatanız değil. Biraz sonra yeniden deneyin."),
            openAgain: "Sayfayı yeniden aç",
            goBack: "Başladığınız yere dönüp yenisini isteyin."))

    static let arabic = LinkTexts(
        locale: LanguageTag(checked: "ar"),
        asking: Asking(
            title: "يطلب {name} تأكيدًا منك",
            heading: "يطلب {name} منك تأكيد هويتك",
            someApp: "تطبيق",
            startedIn: "بدأ في",
            browserOn: "{browser} على {system}",
            unknownBrowser: "متصفح غير معروف",
            asked: "وقت الطلب",
            answerBy: "الرد قبل",
            question: "لم تبدأ هذا بنفسك؟",
            warning: "اختر «{deny}». إذا وافقت، فسيسجّل ذلك الشخص الدخول باسمك.",
            warningHere: "اختر «{deny}». إذا تابعت، فسيسجّل مستخدم هذا المتصفح الدخول باسمك.",
            approve: "موافقة",
            goOn: "متابعة",
            deny: "رفض"),
        code: Code(
            label: "الرقم على الشاشة الأخرى",
            help: "اكتب الرقمين المعروضين حيث بدأت. لديك محاولة واحدة.",
            mistake: "اكتب رقمين، مثل 07. لم يُقرَّر شيء بعد.",
            error: "خطأ:"),
        played: Played(
            signInAs: "الدخول باسم",
            explanation: "تؤدي بيئة التجربة دور المزوّد. لا تُطلب كلمة مرور من أحد."),
        endings: Endings(
            superseded: Notice("يوجد رابط أحدث", "أحدث رابط هو وحده الذي يعمل. افتح آخر رسالة وصلتك."),
            unknown: Notice("هذا الرابط لا يعمل", "قد يكون ناقصًا أو قديمًا جدًا. {goBack}"),
            approved: Notice("لقد وافقت على الطلب", "يمكنك إغلاق هذه الصفحة والعودة إلى حيث بدأت."),
            opensByItself: "إذا لم يُفتح شيء تلقائيًا، فاختر «{continue}».",
            denied: Notice(
                "رُفض الطلب",
                "لم تتم الموافقة على شيء. إذا تكررت طلبات كهذه، فأبلغ الشركة التي يبدو أنها تأتي منها."),
            expired: Notice("انتهت صلاحية هذا الرابط", "تعمل الروابط لبضع دقائق فقط. {goBack}"),
            used: Notice("استُخدم هذا الرابط من قبل", "يعمل مرة واحدة فقط. {goBack}"),
            failed: Notice("تعذّر التأكيد", "أُغلق الطلب ولم تتم الموافقة على شيء. عُد إلى حيث بدأت وحاول مرة أخرى."),
            notUnderstood: Notice("لم تُفهم إجابتك", "لم يُقرَّر شيء. افتح الصفحة مرة أخرى للإجابة."),
            tooMany: Notice("لحظة من فضلك", "وصلت طلبات كثيرة دفعة واحدة. حاول مرة أخرى بعد بضع ثوانٍ."),
            busy: Notice("لحظة من فضلك", "الخدمة مشغولة. حاول مرة أخرى بعد بضع ثوانٍ."),
            fault: Notice("حدث خطأ ما", "ليس الخطأ منك. حاول مرة أخرى بعد لحظات."),
            openAgain: "افتح الصفحة مرة أخرى",
            goBack: "عُد إلى حيث بدأت واطلب رابطًا جديدًا."))

    static let hindi = LinkTexts(
        locale: LanguageTag(checked: "hi"),
        asking: Asking(
            title: "{name} को आपकी पुष्टि चाहिए",
            heading: "{name} को पुष्टि चाहिए कि यह आप ही हैं",
            someApp: "एक ऐप",
            startedIn: "शुरुआत",
            browserOn: "{system} पर {browser}",
            unknownBrowser: "अज्ञात ब्राउज़र",
            asked: "अनुरोध",
            answerBy: "अंतिम समय",
            question: "यह आपने शुरू नहीं किया?",
            warning: "“{deny}” चुनें। अगर आप मंज़ूरी देंगे, तो वह व्यक्ति आपके नाम से साइन इन हो जाएगा।",
            warningHere: """
                “{deny}” चुनें। अगर आप जारी रखेंगे, तो इस ब्राउज़र पर बैठा व्यक्ति आपके नाम से साइन इन हो जाएगा।
                """,
            approve: "मंज़ूरी दें",
            goOn: "जारी रखें",
            deny: "अस्वीकार करें"),
        code: Code(
            label: "दूसरी स्क्रीन पर दिखी संख्या",
            help: "जहाँ आपने शुरू किया था, वहाँ दिखे दो अंक लिखें। आपके पास एक मौका है।",
            mistake: "दो अंक लिखें, जैसे 07। अभी कुछ तय नहीं हुआ है।",
            error: "गलती:"),
        played: Played(
            signInAs: "इस नाम से साइन इन करें",
            explanation: "सैंडबॉक्स यहाँ प्रदाता की भूमिका निभाता है। किसी से पासवर्ड नहीं माँगा जाता।"),
        endings: Endings(
            superseded: Notice(
                "एक नया लिंक मौजूद है",
                "सिर्फ़ सबसे नया लिंक काम करता है। आपको मिला आख़िरी संदेश खोलें।"),
            unknown: Notice("यह लिंक काम नहीं करता", "हो सकता है कि यह अधूरा या बहुत पुराना हो। {goBack}"),
            approved: Notice(
                "आपने अनुरोध को मंज़ूरी दे दी",
                "आप यह पेज बंद करके वहाँ लौट सकते हैं जहाँ से आपने शुरू किया था।"),
            opensByItself: "अगर अपने आप कुछ न खुले, तो “{continue}” चुनें।",
            denied: Notice(
                "अनुरोध अस्वीकार किया गया",
                """
                कुछ भी मंज़ूर नहीं हुआ। अगर ऐसे अनुरोध आते रहें, तो उस कंपनी को बताएँ जिसकी ओर से वे आते दिखते \
                हैं।
                """),
            expired: Notice("इस लिंक का समय बीत गया", "लिंक सिर्फ़ कुछ मिनट काम करते हैं। {goBack}"),
            used: Notice("यह लिंक पहले ही इस्तेमाल हो चुका है", "यह सिर्फ़ एक बार काम करता है। {goBack}"),
            failed: Notice(
                "इसकी पुष्टि नहीं हो सकी",
                """
                अनुरोध बंद हो गया और कुछ भी मंज़ूर नहीं हुआ। फिर कोशिश करने के लिए वहाँ लौटें जहाँ से आपने शुरू \
                किया था।
                """),
            notUnderstood: Notice(
                "आपका जवाब समझ में नहीं आया",
                "कुछ तय नहीं हुआ है। जवाब देने के लिए पेज फिर से खोलें।"),
            tooMany: Notice("कृपया थोड़ा रुकें", "एक साथ बहुत सारे अनुरोध आ गए। कुछ सेकंड बाद फिर कोशिश करें।"),
            busy: Notice("कृपया थोड़ा रुकें", "सेवा व्यस्त है। कुछ सेकंड बाद फिर कोशिश करें।"),
            fault: Notice("कुछ गड़बड़ हो गई", "इसमें आपकी गलती नहीं है। थोड़ी देर बाद फिर कोशिश करें।"),
            openAgain: "पेज फिर से खोलें",
            goBack: "वहाँ लौटें जहाँ से आपने शुरू किया था और नया लिंक माँगें।"))

    static let indonesian = LinkTexts(
        locale: LanguageTag(checked: "id"),
        asking: Asking(
            title: "{name} meminta konfirmasi Anda",
            heading: "{name} meminta Anda mengonfirmasi bahwa ini Anda",
            someApp: "Sebuah aplikasi",
            startedIn: "Dimulai di",
            browserOn: "{browser} di {system}",
            unknownBrowser: "Browser tidak dikenal",
            asked: "Diminta",
            answerBy: "Jawab sebelum",
            question: "Bukan Anda yang memulai?",
            warning: "Pilih “{deny}”. Jika Anda menyetujui, orang itu akan masuk sebagai Anda.",
            warningHere: "Pilih “{deny}”. Jika Anda melanjutkan, orang di browser ini akan masuk sebagai Anda.",
            approve: "Setujui",
            goOn: "Lanjutkan",
            deny: "Tolak"),
        code: Code(
            label: "Angka di layar lain",
            help: "Ketik dua angka yang tampil di tempat Anda memulai. Anda punya satu kesempatan.",
            mistake: "Ketik dua angka, misalnya 07. Belum ada yang diputuskan.",
            error: "Kesalahan:"),
        played: Played(
            signInAs: "Masuk sebagai",
            explanation: "Sandbox berperan sebagai penyedia. Tidak ada yang dimintai kata sandi."),
        endings: Endings(
            superseded: Notice(
                "Ada tautan yang lebih baru",
                "Hanya tautan terbaru yang berfungsi. Buka pesan terakhir yang Anda terima."),
            unknown: Notice("Tautan ini tidak berfungsi", "Mungkin tidak lengkap atau terlalu lama. {goBack}"),
            approved: Notice(
                "Anda menyetujui permintaan",
                "Anda dapat menutup halaman ini dan kembali ke tempat Anda memulai."),
            opensByItself: "Jika tidak ada yang terbuka sendiri, pilih “{continue}”.",
            denied: Notice(
                "Permintaan ditolak",
                """
                Tidak ada yang disetujui. Jika permintaan seperti ini terus datang, beri tahu perusahaan yang \
                tampaknya menjadi asalnya.
                """),
            expired: Notice("Tautan ini sudah kedaluwarsa", "Tautan hanya berfungsi beberapa menit. {goBack}"),
            used: Notice("Tautan ini sudah digunakan", "Tautan hanya berfungsi satu kali. {goBack}"),
            failed: Notice(
                "Ini tidak dapat dikonfirmasi",
                """
                Permintaan ditutup dan tidak ada yang disetujui. Kembali ke tempat Anda memulai untuk mencoba \
                lagi.
                """),
            notUnderstood: Notice(
                "Jawaban Anda tidak dipahami",
                "Belum ada yang diputuskan. Buka kembali halaman ini untuk menjawab."),
            tooMany: Notice(
                "Mohon tunggu sebentar",
                "Terlalu banyak permintaan datang sekaligus. Coba lagi dalam beberapa detik."),
            busy: Notice("Mohon tunggu sebentar", "Layanan sedang sibuk. Coba lagi dalam beberapa detik."),
            fault: Notice("Terjadi kesalahan", "Ini bukan kesalahan Anda. Coba lagi sebentar lagi."),
            openAgain: "Buka kembali halaman ini",
            goBack: "Kembali ke tempat Anda memulai dan minta yang baru."))

    static let vietnamese = LinkTexts(
        locale: LanguageTag(checked: "vi"),
        asking: Asking(
            title: "{name} yêu cầu bạn xác nhận",
            heading: "{name} yêu cầu bạn xác nhận đó chính là bạn",
            someApp: "Một ứng dụng",
            startedIn: "Bắt đầu tại",
            browserOn: "{browser} trên {system}",
            unknownBrowser: "Trình duyệt không rõ",
            asked: "Yêu cầu lúc",
            answerBy: "Trả lời trước",
            question: "Không phải bạn bắt đầu?",
            warning: "Hãy chọn “{deny}”. Nếu bạn chấp thuận, người đó sẽ đăng nhập dưới tên bạn.",
            warningHere: "Hãy chọn “{deny}”. Nếu bạn tiếp tục, người dùng trình duyệt này sẽ đăng nhập dưới tên bạn.",
            approve: "Chấp thuận",
            goOn: "Tiếp tục",
            deny: "Từ chối"),
        code: Code(
            label: "Số trên màn hình kia",
            help: "Nhập hai chữ số hiển thị ở nơi bạn bắt đầu. Bạn có một lần thử.",
            mistake: "Nhập hai chữ số, ví dụ 07. Chưa có gì được quyết định.",
            error: "Lỗi:"),
        played: Played(
            signInAs: "Đăng nhập với tư cách",
            explanation: "Môi trường thử đóng vai nhà cung cấp. Không ai bị hỏi mật khẩu."),
        endings: Endings(
            superseded: Notice(
                "Có liên kết mới hơn",
                "Chỉ liên kết mới nhất dùng được. Hãy mở tin nhắn cuối cùng bạn nhận được."),
            unknown: Notice("Liên kết này không dùng được", "Liên kết có thể chưa đầy đủ hoặc đã quá cũ. {goBack}"),
            approved: Notice("Bạn đã chấp thuận yêu cầu", "Bạn có thể đóng trang này và quay lại nơi bạn bắt đầu."),
            opensByItself: "Nếu không có gì tự mở, hãy chọn “{continue}”.",
            denied: Notice(
                "Yêu cầu đã bị từ chối",
                """
                Chưa có gì được chấp thuận. Nếu những yêu cầu như thế này cứ tiếp tục, hãy báo cho công ty có \
                vẻ đã gửi chúng.
                """),
            expired: Notice("Liên kết này đã hết hạn", "Liên kết chỉ dùng được trong vài phút. {goBack}"),
            used: Notice("Liên kết này đã được dùng", "Liên kết chỉ dùng được một lần. {goBack}"),
            failed: Notice(
                "Không thể xác nhận",
                "Yêu cầu đã đóng và chưa có gì được chấp thuận. Hãy quay lại nơi bạn bắt đầu để thử lại."),
            notUnderstood: Notice(
                "Không hiểu câu trả lời của bạn",
                "Chưa có gì được quyết định. Hãy mở lại trang để trả lời."),
            tooMany: Notice("Vui lòng chờ một chút", "Có quá nhiều yêu cầu cùng lúc. Hãy thử lại sau vài giây."),
            busy: Notice("Vui lòng chờ một chút", "Dịch vụ đang bận. Hãy thử lại sau vài giây."),
            fault: Notice("Đã xảy ra lỗi", "Đây không phải lỗi của bạn. Hãy thử lại sau giây lát."),
            openAgain: "Mở lại trang",
            goBack: "Hãy quay lại nơi bạn bắt đầu và yêu cầu liên kết mới."))
}
