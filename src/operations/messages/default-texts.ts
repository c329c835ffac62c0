/** The words of messages as long as the merchant has none of their own. */
import type { Language } from '../../domain/language.ts'
import type { Channel, CodePurpose, MessageKind } from '../../domain/message.ts'
import type { TemplateText } from '../../domain/message-text.ts'

interface Words {
  readonly subject: string
  /** The text of an email, which begins with the greeting. */
  readonly body: string
  readonly sms: string
}

interface LanguageWords {
  /** For somebody whose name is known, or not. */
  readonly greeting: (name: string | undefined) => string
  readonly unsubscribe: string
  /** What a code is for. */
  readonly actions: Record<CodePurpose, string>
  readonly kinds: Record<MessageKind, Words>
}

const english: LanguageWords = {
  greeting: (name) => (name ? `Hello ${name},` : 'Hello,'),
  unsubscribe: 'Unsubscribe',
  actions: {
    contact: 'confirm this address',
    change: 'change your details',
    download: 'download your data',
    erase: 'delete your data for good',
  },
  kinds: {
    test: {
      subject: 'A test from {merchant}',
      body: '{greeting}\n\nthis is a test. Your messages can be sent.',
      sms: '{merchant}: this is a test. Your messages can be sent.',
    },
    card_link: {
      subject: 'Your {merchant} card',
      body: '{greeting}\n\nhere is your card for {campaign}. Keep this link to yourself: it opens your card, with its barcode and what you have collected.\n\n{link}',
      sms: '{merchant}: your card: {link}',
    },
    verification_code: {
      subject: 'Your code: {code}',
      body: '{greeting}\n\n{code} is your code to {action}. It is valid for ten minutes. If you did not ask for it, do not pass it on; you need not do anything.',
      sms: '{merchant}: {code} is your code to {action}.',
    },
    card_opened: {
      subject: 'Welcome to {campaign}',
      body: '{greeting}\n\nwelcome to {campaign}. This link opens your card on your phone, to show it whenever you visit us:\n\n{link}',
      sms: 'Welcome to {merchant}! Your card: {link}',
    },
    reward_earned: {
      subject: 'You have earned a reward: {reward}',
      body: '{greeting}\n\nyou have earned {reward}. It is on your card, ready for your next visit:\n\n{link}',
      sms: '{merchant}: you have earned {reward}! {link}',
    },
    coupon_expiring: {
      subject: '{reward}: use it by {date}',
      body: '{greeting}\n\na reminder: {reward} on your card can be used until {date}.\n\n{link}',
      sms: '{merchant}: {reward} can be used until {date}. {link}',
    },
    points_expiring: {
      subject: '{amount} expire on {date}',
      body: '{greeting}\n\n{amount} on your card expire on {date}. We look forward to your visit before then.\n\n{link}',
      sms: '{merchant}: {amount} expire on {date}. {link}',
    },
    birthday: {
      subject: 'Happy birthday!',
      body: '{greeting}\n\nhappy birthday from all of us at {merchant}!\n\n{link}',
      sms: 'Happy birthday from {merchant}! {link}',
    },
    not_seen: {
      subject: 'We would like to see you again',
      body: '{greeting}\n\nwe have not seen you for a while. Your card is here, with everything you have collected:\n\n{link}',
      sms: '{merchant}: we would like to see you again. {link}',
    },
    invitation: {
      subject: 'You are invited to {merchant}',
      body: '{greeting}\n\nyou are invited to work with {merchant} in Loyalty Wallet. Choose a password with this link; it is valid for seven days and can be used once:\n\n{link}',
      sms: '{merchant} invites you to Loyalty Wallet: {link}',
    },
    password_reset: {
      subject: 'Choose a new password',
      body: '{greeting}\n\nsomebody asked for a new password for {merchant} in Loyalty Wallet. If it was you, choose one with this link; it is valid for one hour and can be used once. Otherwise you need not do anything.\n\n{link}',
      sms: '{merchant}: choose a new password: {link}',
    },
    webhook_paused: {
      subject: 'A webhook was paused',
      body: '{greeting}\n\nevents of {merchant} could not be delivered to {url}, so that we have stopped trying. When it works again, resume it here; it then gets what it has missed:\n\n{link}',
      sms: '{merchant}: the webhook {url} was paused. {link}',
    },
  },
}

const german: LanguageWords = {
  greeting: (name) => (name ? `Hallo ${name},` : 'Hallo,'),
  unsubscribe: 'Abmelden',
  actions: {
    contact: 'zum Bestätigen dieser Adresse',
    change: 'zum Ändern Ihrer Angaben',
    download: 'zum Herunterladen Ihrer Daten',
    erase: 'zum endgültigen Löschen Ihrer Daten',
  },
  kinds: {
    test: {
      subject: 'Ein Test von {merchant}',
      body: '{greeting}\n\ndies ist ein Test. Ihre Nachrichten können gesendet werden.',
      sms: '{merchant}: Dies ist ein Test. Ihre Nachrichten können gesendet werden.',
    },
    card_link: {
      subject: 'Ihre Karte von {merchant}',
      body: '{greeting}\n\nhier ist Ihre Karte für {campaign}. Behalten Sie diesen Link für sich: Er öffnet Ihre Karte mit dem Barcode und allem, was Sie gesammelt haben.\n\n{link}',
      sms: '{merchant}: Ihre Karte: {link}',
    },
    verification_code: {
      subject: 'Ihr Code: {code}',
      body: '{greeting}\n\n{code} ist Ihr Code {action}. Er gilt zehn Minuten. Wenn Sie ihn nicht angefordert haben, geben Sie ihn nicht weiter; Sie brauchen nichts zu tun.',
      sms: '{merchant}: {code} ist Ihr Code {action}.',
    },
    card_opened: {
      subject: 'Willkommen bei {campaign}',
      body: '{greeting}\n\nwillkommen bei {campaign}. Dieser Link öffnet Ihre Karte auf dem Telefon, damit Sie sie bei jedem Besuch zeigen können:\n\n{link}',
      sms: 'Willkommen bei {merchant}! Ihre Karte: {link}',
    },
    reward_earned: {
      subject: 'Sie haben eine Prämie verdient: {reward}',
      body: '{greeting}\n\nSie haben sich „{reward}“ verdient. Die Prämie ist auf Ihrer Karte und wartet auf Ihren nächsten Besuch:\n\n{link}',
      sms: '{merchant}: Sie haben sich „{reward}“ verdient! {link}',
    },
    coupon_expiring: {
      subject: '{reward}: noch bis {date}',
      body: '{greeting}\n\nzur Erinnerung: „{reward}“ auf Ihrer Karte gilt noch bis {date}.\n\n{link}',
      sms: '{merchant}: „{reward}“ gilt noch bis {date}. {link}',
    },
    points_expiring: {
      subject: '{amount} verfallen am {date}',
      body: '{greeting}\n\n{amount} auf Ihrer Karte verfallen am {date}. Wir freuen uns, wenn Sie vorher vorbeikommen.\n\n{link}',
      sms: '{merchant}: {amount} verfallen am {date}. {link}',
    },
    birthday: {
      subject: 'Alles Gute zum Geburtstag!',
      body: '{greeting}\n\nalles Gute zum Geburtstag wünscht {merchant}!\n\n{link}',
      sms: 'Alles Gute zum Geburtstag wünscht {merchant}! {link}',
    },
    not_seen: {
      subject: 'Wir würden uns freuen, Sie wiederzusehen',
      body: '{greeting}\n\nSie waren eine Weile nicht bei uns. Hier ist Ihre Karte mit allem, was Sie gesammelt haben:\n\n{link}',
      sms: '{merchant}: Wir würden uns freuen, Sie wiederzusehen. {link}',
    },
    invitation: {
      subject: 'Einladung zu {merchant}',
      body: '{greeting}\n\nSie sind eingeladen, in Loyalty Wallet für {merchant} zu arbeiten. Wählen Sie mit diesem Link ein Passwort; er gilt sieben Tage und nur einmal:\n\n{link}',
      sms: '{merchant} lädt Sie zu Loyalty Wallet ein: {link}',
    },
    password_reset: {
      subject: 'Neues Passwort wählen',
      body: '{greeting}\n\njemand hat ein neues Passwort für {merchant} in Loyalty Wallet angefordert. Wenn Sie es waren, wählen Sie es mit diesem Link; er gilt eine Stunde und nur einmal. Sonst brauchen Sie nichts zu tun.\n\n{link}',
      sms: '{merchant}: neues Passwort wählen: {link}',
    },
    webhook_paused: {
      subject: 'Ein Webhook wurde angehalten',
      body: '{greeting}\n\nEreignisse von {merchant} konnten nicht an {url} zugestellt werden, deshalb versuchen wir es nicht weiter. Wenn die Adresse wieder erreichbar ist, setzen Sie ihn hier fort; er erhält dann alles, was er verpasst hat:\n\n{link}',
      sms: '{merchant}: Der Webhook {url} wurde angehalten. {link}',
    },
  },
}

const arabic: LanguageWords = {
  greeting: (name) => (name ? `مرحبًا ${name}،` : 'مرحبًا،'),
  unsubscribe: 'إلغاء الاشتراك',
  actions: {
    contact: 'لتأكيد هذا العنوان',
    change: 'لتغيير بياناتك',
    download: 'لتنزيل بياناتك',
    erase: 'لحذف بياناتك نهائيًا',
  },
  kinds: {
    test: {
      subject: 'رسالة تجريبية من {merchant}',
      body: '{greeting}\n\nهذه رسالة تجريبية. يمكن إرسال رسائلك.',
      sms: '{merchant}: هذه رسالة تجريبية. يمكن إرسال رسائلك.',
    },
    card_link: {
      subject: 'بطاقتك من {merchant}',
      body: '{greeting}\n\nهذه بطاقتك في {campaign}. احتفظ بهذا الرابط لنفسك: فهو يفتح بطاقتك مع الرمز الشريطي وكل ما جمعته.\n\n{link}',
      sms: '{merchant}: بطاقتك: {link}',
    },
    verification_code: {
      subject: 'رمزك: {code}',
      body: '{greeting}\n\n{code} هو رمزك {action}. وهو صالح لعشر دقائق. إذا لم تطلبه فلا تعطه لأحد، ولا داعي لفعل أي شيء.',
      sms: '{merchant}: {code} هو رمزك {action}.',
    },
    card_opened: {
      subject: 'أهلًا بك في {campaign}',
      body: '{greeting}\n\nأهلًا بك في {campaign}. يفتح هذا الرابط بطاقتك على هاتفك لتعرضها في كل زيارة:\n\n{link}',
      sms: 'أهلًا بك في {merchant}! بطاقتك: {link}',
    },
    reward_earned: {
      subject: 'لقد حصلت على مكافأة: {reward}',
      body: '{greeting}\n\nلقد حصلت على {reward}. المكافأة على بطاقتك وجاهزة لزيارتك القادمة:\n\n{link}',
      sms: '{merchant}: لقد حصلت على {reward}! {link}',
    },
    coupon_expiring: {
      subject: '{reward}: صالح حتى {date}',
      body: '{greeting}\n\nتذكير: {reward} على بطاقتك صالح حتى {date}.\n\n{link}',
      sms: '{merchant}: {reward} صالح حتى {date}. {link}',
    },
    points_expiring: {
      subject: '{amount} تنتهي صلاحيتها في {date}',
      body: '{greeting}\n\n{amount} على بطاقتك تنتهي صلاحيتها في {date}. يسعدنا أن تزورنا قبل ذلك.\n\n{link}',
      sms: '{merchant}: {amount} تنتهي صلاحيتها في {date}. {link}',
    },
    birthday: {
      subject: 'عيد ميلاد سعيد!',
      body: '{greeting}\n\nعيد ميلاد سعيد من فريق {merchant}!\n\n{link}',
      sms: 'عيد ميلاد سعيد من {merchant}! {link}',
    },
    not_seen: {
      subject: 'يسعدنا أن نراك مجددًا',
      body: '{greeting}\n\nلم نرك منذ مدة. هذه بطاقتك مع كل ما جمعته:\n\n{link}',
      sms: '{merchant}: يسعدنا أن نراك مجددًا. {link}',
    },
    invitation: {
      subject: 'دعوة إلى {merchant}',
      body: '{greeting}\n\nأنت مدعو للعمل مع {merchant} في Loyalty Wallet. اختر كلمة مرور عبر هذا الرابط؛ وهو صالح لسبعة أيام ولمرة واحدة:\n\n{link}',
      sms: '{merchant} يدعوك إلى Loyalty Wallet: {link}',
    },
    password_reset: {
      subject: 'اختر كلمة مرور جديدة',
      body: '{greeting}\n\nطلب شخص ما كلمة مرور جديدة لـ {merchant} في Loyalty Wallet. إذا كنت أنت، فاخترها عبر هذا الرابط؛ وهو صالح لساعة واحدة ولمرة واحدة. وإلا فلا داعي لفعل أي شيء.\n\n{link}',
      sms: '{merchant}: اختر كلمة مرور جديدة: {link}',
    },
    webhook_paused: {
      subject: 'تم إيقاف webhook مؤقتًا',
      body: '{greeting}\n\nتعذّر تسليم أحداث {merchant} إلى {url}، لذلك توقفنا عن المحاولة. عندما يعمل من جديد، استأنفه هنا وسيصله ما فاته:\n\n{link}',
      sms: '{merchant}: تم إيقاف webhook {url} مؤقتًا. {link}',
    },
  },
}

export const actionOf = (language: Language, purpose: CodePurpose): string =>
  languages[language].actions[purpose]

const languages: Record<Language, LanguageWords> = { en: english, de: german, ar: arabic }

export const greetingOf = (language: Language, name: string | undefined): string =>
  languages[language].greeting(name)

export const unsubscribeWordOf = (language: Language): string => languages[language].unsubscribe

export function defaultText(kind: MessageKind, channel: Channel, language: Language): TemplateText {
  return textOf(languages[language].kinds[kind], channel)
}

const textOf = ({ subject, body, sms }: Words, channel: Channel): TemplateText =>
  channel === 'email' ? { subject, body } : { body: sms }
