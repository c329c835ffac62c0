/** The words on a pass, in the languages of the pages. Names that merchants give are the same in all of them. */
import type { Language } from '../../domain/language.ts'

export type Localized = Readonly<Record<Language, string>>

interface Words {
  readonly balanceNow: string
  readonly nextReward: string
  readonly toGo: (missing: string, reward: string) => string
  readonly tier: string
  readonly coupons: string
  readonly coupon: (name: string, until: string | undefined) => string
  readonly couponHint: string
  readonly expiring: string
  readonly amountUntil: (amount: string, date: string) => string
  readonly program: string
  readonly cardNumber: string
  readonly walletPage: string
  readonly blocked: string
  readonly blockedHint: string
  readonly ended: string
  readonly endedHint: string
  readonly stamps: (have: string, need: string) => string
}

export const words: Readonly<Record<Language, Words>> = {
  en: {
    balanceNow: 'New balance: %@',
    nextReward: 'Next reward',
    toGo: (missing, reward) => `${missing} more for ${reward}`,
    tier: 'Tier',
    coupons: 'Coupons',
    coupon: (name, until) => (until ? `${name} (until ${until})` : name),
    couponHint: 'Show your card at checkout to use one.',
    expiring: 'Expiring soon',
    amountUntil: (amount, date) => `${amount}, until ${date}`,
    program: 'Program',
    cardNumber: 'Card number',
    walletPage: 'Card in the browser',
    blocked: 'Blocked',
    blockedHint: 'This card is blocked. Please ask at the store.',
    ended: 'No longer valid',
    endedHint:
      'The link to this card was renewed. Add the card again from its new link, or ask at the store.',
    stamps: (have, need) => `${have} of ${need}`,
  },
  de: {
    balanceNow: 'Neuer Stand: %@',
    nextReward: 'Nächste Prämie',
    toGo: (missing, reward) => `Noch ${missing} bis: ${reward}`,
    tier: 'Stufe',
    coupons: 'Gutscheine',
    coupon: (name, until) => (until ? `${name} (bis ${until})` : name),
    couponHint: 'Zum Einlösen einfach die Karte an der Kasse zeigen.',
    expiring: 'Verfällt bald',
    amountUntil: (amount, date) => `${amount}, bis ${date}`,
    program: 'Programm',
    cardNumber: 'Kartennummer',
    walletPage: 'Karte im Browser',
    blocked: 'Gesperrt',
    blockedHint: 'Diese Karte ist gesperrt. Bitte im Geschäft nachfragen.',
    ended: 'Nicht mehr gültig',
    endedHint:
      'Der Link zu dieser Karte wurde erneuert. Fügen Sie die Karte über den neuen Link noch einmal hinzu oder fragen Sie im Geschäft.',
    stamps: (have, need) => `${have} von ${need}`,
  },
  ar: {
    balanceNow: 'الرصيد الجديد: %@',
    nextReward: 'المكافأة التالية',
    toGo: (missing, reward) => `بقي ${missing} للحصول على ${reward}`,
    tier: 'المستوى',
    coupons: 'القسائم',
    coupon: (name, until) => (until ? `${name} (حتى ${until})` : name),
    couponHint: 'أظهر بطاقتك عند الدفع لاستخدام قسيمة.',
    expiring: 'تنتهي قريبًا',
    amountUntil: (amount, date) => `${amount}، حتى ${date}`,
    program: 'البرنامج',
    cardNumber: 'رقم البطاقة',
    walletPage: 'البطاقة في المتصفح',
    blocked: 'محظورة',
    blockedHint: 'هذه البطاقة محظورة. اسأل في المتجر.',
    ended: 'لم تعد صالحة',
    endedHint: 'جُدّد رابط هذه البطاقة. أضف البطاقة مرة أخرى من رابطها الجديد، أو اسأل في المتجر.',
    stamps: (have, need) => `${have} من ${need}`,
  },
}

export const inAll = (write: (language: Language) => string): Localized => ({
  en: write('en'),
  de: write('de'),
  ar: write('ar'),
})
