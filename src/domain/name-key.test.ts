import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameKey, spellingsOf } from './name-key.ts'

describe('a name is searched', () => {
  test.each([
    { rule: 'without its marks', name: 'Đặng Thị Ánh', key: 'dang thi anh' },
    {
      rule: 'without strokes and ligatures',
      name: 'Łukasz Sørli Ægir Ħal',
      key: 'lukasz sorli aegir hal lukasz soerli aegir hal',
    },
    { rule: 'with two letters for an umlaut as well', name: 'Jörg MÜLLER', key: 'jorg muller joerg mueller' },
    { rule: 'with ss for a sharp s, small or capital', name: 'Weiß GROẞ', key: 'weiss gross' },
    { rule: 'with one kind of i', name: 'İpek IŞIK Işık', key: 'ipek isik isik' },
    { rule: 'with one kind of sigma', name: 'ΝΊΚΟΣ Νίκος', key: 'νικοσ νικοσ' },
    { rule: 'in Cyrillic letters', name: 'Семён', key: 'семен' },
    { rule: 'with one kind of apostrophe', name: 'O’Neil O´Neil', key: "o'neil o'neil" },
    { rule: 'in wide and in mathematical letters', name: 'Ａnna 𝐉𝐨', key: 'anna jo' },
    { rule: 'without hamza', name: 'أحمد إيمان', key: 'احمد ايمان' },
    { rule: 'without vowel signs and stretching', name: 'مُحَمَّد محـــمد', key: 'محمد محمد' },
    { rule: 'with one yeh, heh and kaf', name: 'مصطفى فاطمة کریم', key: 'مصطفي فاطمه كريم' },
    { rule: 'without the points of Hebrew', name: 'שָׁלוֹם', key: 'שלום' },
    { rule: 'with the marks that make another letter', name: 'कि がく ก้อง', key: 'कि がく ก้อง' },
    { rule: 'with the syllables of Korean', name: '김철수', key: '김철수' },
    { rule: 'with signs as they are', name: 'a%_\\b <1>', key: 'a%_\\b <1>' },
  ])('$rule', ({ name, key }) => expect(nameKey(name)).toBe(key.normalize('NFC')))

  test('alike however it is composed, and in capitals', () => {
    const letters = fc.constantFrom(...'aäáạậÅøđłßéğİışœŞñçżЙёأؤمةがक김'.split(''))
    fc.assert(
      fc.property(fc.string({ unit: letters }), (name) => {
        const key = nameKey(name.normalize('NFC'))
        expect(nameKey(name.normalize('NFD'))).toBe(key)
        expect(nameKey(name.toUpperCase())).toBe(key)
      }),
    )
  })

  test('and what it is searched by is not changed by folding it again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const [plain] = spellingsOf(text)
        expect(spellingsOf(plain!)).toContain(plain)
      }),
    )
  })
})
