import { describe, expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords.ts'

const own = ['grace.hopper@bluecup.example', 'Grace Hopper', 'Blue Cup Coffee']

describe('a password that is guessed first', () => {
  test.each([
    [
      'repeated',
      ['aaaaaaaaaa', 'abababababab', 'passwordpassword', '123123123123', 'xyz!xyz!xyz!', '..........'],
    ],
    ['a number', ['1234567890', '0987654321', '2025550100', '01.02.1990', '  4915112345678 ']],
    [
      'a run',
      [
        'qwertyuiop',
        'qwertzuiop12',
        'asdfghjkl123',
        'abcdefghij',
        '1qaz2wsx3edc',
        'poiuytrewq',
        'abc123abc123',
      ],
    ],
    [
      'words',
      [
        'password12',
        'Password123!',
        'P@ssw0rd2026',
        'iloveyou123',
        'welcome2026',
        'Sommer2026!',
        'letmein12345',
      ],
    ],
    [
      'several words',
      [
        'helloworld'.replace('world', 'user'),
        'adminpassword',
        'my password 1',
        'i-love-you'.replace('i-', 'ich-'),
      ],
    ],
    [
      'the person’s own',
      [
        'grace.hopper@bluecup.example',
        'GraceHopper1',
        'hopper-grace',
        'bluecupcoffee',
        'grace12345',
        'ｇｒａｃｅ hopper',
      ],
    ],
  ])('%s', (_what, passwords) => {
    expect(passwords.filter((password) => !isCommonPassword(password, own))).toEqual([])
  })
})

test('other passwords pass, however simple their signs', () => {
  const good = [
    'correct horse battery',
    'the same for all of them',
    'kx9-wq2-ab7',
    'vR7pLq2mZx',
    'somebody else has it',
    'grace likes rainy days',
    'zebra crossing at noon',
    '31415926535897932',
    'كلمة لا يعرفها غيري',
    'quite another phrase',
  ]
  expect(good.filter((password) => isCommonPassword(password, own))).toEqual([])
})
