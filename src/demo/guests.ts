/**
 * The café's customers. Names are combined from names that are common somewhere, phone numbers are from the
 * range of each North American area code that is reserved for fiction (555-0100 to 555-0199), and email
 * addresses are in reserved domains, so that no real person can be reached.
 */
import { type Branch, branches, coffees, otherDrinks, type Product } from './cafe.ts'
import { type Random, randomFor } from './random.ts'

export interface Guest {
  /** Number of the guest, starting at 1. */
  readonly number: number
  readonly opaqueId: string
  readonly fullname: string
  readonly phone?: string
  readonly email?: string
  readonly metaData?: { readonly birthdayMonth: number }
  readonly consents?: { readonly marketing: boolean }
  /** First day, counted from the opening. */
  readonly registersOn: number
  readonly habit: Habit
  /** The last day of a guest who moves away or goes elsewhere. */
  readonly staysUntil: number
  readonly home: Branch
  readonly drink: Product
  /** Forgets coupons until they have expired. */
  readonly isForgetful: boolean
  readonly likesAfternoons: boolean
}

export interface Habit {
  /** How likely a visit is, on an ordinary weekday and at the weekend. */
  readonly onWeekday: number
  readonly onWeekend: number
}

interface Names {
  readonly given: string
  readonly family: string
  readonly isFamilyFirst?: boolean
}

const names: readonly Names[] = [
  {
    given: 'Olivia Noah Emma Henry Grace Theodore Hazel Walter',
    family: 'Bennett Carter Hayes Morgan Sullivan Foster Whitaker',
  },
  {
    given: 'Lucía Mateo Camila Santiago Valeria Diego Ximena Andrés',
    family: 'García Hernández Núñez Peña Rojas Castaño Ibáñez',
  },
  {
    given: 'Hannah Lukas Jürgen Mia Björn Käthe Felix Antje',
    family: 'Müller Schäfer Weiß König Brandt Vogel Krüger',
  },
  {
    given: 'Chloé Hugo Amélie Théo Élodie Baptiste Zoé Loïc',
    family: 'Lefèvre Moreau Dubois Garnier Chevalier Bélanger',
  },
  {
    given: 'Giulia Lorenzo Chiara Matteo Francesca Niccolò Ginevra',
    family: 'Rossi Bianchi Esposito Ricci Conti Marchetti',
  },
  {
    given: 'Zofia Jakub Małgorzata Paweł Agnieszka Łukasz Kasia',
    family: 'Nowak Wiśniewska Zając Wójcik Kowalczyk Dąbrowski',
  },
  { given: 'Ayşe Emre Zeynep Burak Elif Çağlar Gül Deniz', family: 'Yılmaz Kaya Öztürk Demir Çelik Aydın' },
  {
    given: 'Linh Minh Thảo Quân Hương Đức Mai',
    family: 'Nguyễn Trần Phạm Hoàng Võ Đặng',
    isFamilyFirst: true,
  },
  {
    given: 'Mei Wei Xiaoling Jun Lihua Haoran Yating',
    family: 'Chen Wang Zhang Liu Huang Lin',
  },
  { given: 'さくら 健太 美咲 大輔 陽菜 翔', family: '佐藤 鈴木 高橋 田中 渡辺', isFamilyFirst: true },
  { given: 'Олена Андрій Оксана Тарас Марія Богдан', family: 'Шевченко Коваленко Бондар Мельник Ткачук' },
  {
    given: 'Priya Arjun Ananya Rohan Meera Vikram Kavya',
    family: 'Sharma Patel Iyer Reddy Banerjee Nair',
  },
  {
    given: 'Adaeze Kwame Ngozi Tunde Amara Chidi Folake',
    family: 'Okafor Mensah Adeyemi Boateng Eze Balogun',
  },
  { given: 'Layla Omar Yasmin Karim Salma Tariq', family: 'Haddad Mansour Khalil Nasser Farouk' },
  { given: 'Søren Freja Åsa Lars Ingrid Øyvind Maja', family: 'Kjær Lindström Nygård Holm Sørensen' },
  { given: 'Ελένη Νίκος Μαρία Γιώργος Κατερίνα', family: 'Παππάς Νικολάου Βλάχος Οικονόμου' },
]

const guestCount = 204
const onOpeningDay = 26
const lastRegistration = 88
const areas = [212, 332, 347, 646, 718, 917, 929]
const emailDomains = ['example.com', 'example.org', 'example.net']

const habits = {
  regular: { onWeekday: 0.55, onWeekend: 0.25 },
  'weekend regular': { onWeekday: 0.08, onWeekend: 0.62 },
  occasional: { onWeekday: 0.14, onWeekend: 0.2 },
  'came once': { onWeekday: 0.004, onWeekend: 0.006 },
} as const satisfies Record<string, Habit>

export function inviteGuests(): Guest[] {
  const guests: Guest[] = []
  const fullnames = new Set<string>()
  for (let number = 1; number <= guestCount; number++) {
    const guest = inviteGuest(number, fullnames)
    fullnames.add(guest.fullname)
    guests.push(guest)
  }
  return guests
}

function inviteGuest(number: number, taken: ReadonlySet<string>): Guest {
  const random = randomFor('guest', number)
  const registersOn = registrationDay(number)
  const fullname = nameGuest(random, taken)
  const hasPhone = random.chance(0.8)
  const { habit, staysUntil } = habitOf(random, registersOn)
  const branchDraw = random.next()
  return {
    number,
    opaqueId: `guest-${String(number).padStart(3, '0')}`,
    fullname,
    phone: hasPhone ? phoneOf(number) : undefined,
    email: !hasPhone || random.chance(0.55) ? emailOf(fullname, number, random) : undefined,
    metaData: random.chance(0.55) ? { birthdayMonth: random.between(1, 12) } : undefined,
    consents: random.chance(0.7) ? { marketing: random.chance(0.75) } : undefined,
    registersOn,
    habit,
    staysUntil,
    home: branches[branchDraw < 0.5 ? 0 : branchDraw < 0.8 ? 1 : 2]!.opaqueId,
    drink: random.pick(random.chance(0.85) ? coffees : otherDrinks),
    isForgetful: random.chance(0.25),
    likesAfternoons: random.chance(0.28),
  }
}

/**
 * Some guests join on the opening day, then a few more every week than the week before, unevenly over the
 * days.
 */
function registrationDay(number: number): number {
  if (number <= onOpeningDay) return 0
  const share = (number - onOpeningDay) / (guestCount - onOpeningDay)
  const day = Math.ceil(lastRegistration * share ** 0.9) + randomFor('registration', number).between(-4, 4)
  return Math.min(Math.max(day, 1), lastRegistration)
}

function nameGuest(random: Random, taken: ReadonlySet<string>): string {
  for (;;) {
    const { given, family, isFamilyFirst } = random.pick(names)
    const parts = [random.pick(given.split(' ')), random.pick(family.split(' '))]
    const fullname = (isFamilyFirst ? parts.reverse() : parts).join(' ')
    if (!taken.has(fullname)) return fullname
  }
}

function habitOf(random: Random, registersOn: number): { habit: Habit; staysUntil: number } {
  const draw = random.next()
  const habit =
    habits[draw < 0.3 ? 'regular' : draw < 0.42 ? 'weekend regular' : draw < 0.8 ? 'occasional' : 'came once']
  const leaves = random.chance(0.15)
  return { habit, staysUntil: leaves ? registersOn + random.between(10, 40) : Number.POSITIVE_INFINITY }
}

/** Unique per guest: 37 and 100 have no common divisor, so that numbers within an area do not repeat. */
function phoneOf(number: number): string {
  const area = number % areas.length
  const last = (37 * Math.floor(number / areas.length) + 11 * area) % 100
  return `+1 ${areas[area]} 555 01${String(last).padStart(2, '0')}`
}

function emailOf(fullname: string, number: number, random: Random): string {
  const plain = fullname
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('æ', 'ae')
    .replaceAll('ł', 'l')
    .replaceAll('đ', 'd')
    .replaceAll('ı', 'i')
    .normalize('NFD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(' ', '.')
  // Letters that an email address cannot contain.
  const local = /^[a-z.]+$/.test(plain) ? plain : `guest${number}`
  return `${local}@${random.pick(emailDomains)}`
}
