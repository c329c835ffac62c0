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
      'frequent ones and their neighbors',
      [
        '1q2w3e4r5t',
        'qazwsxedcrfv',
        'iloveyousomuch',
        'i love you so much',
        'letmeinplease',
        'aaaaaaaaab',
        'dragonball1',
        'q1w2e3r4t5',
        '123456789a',
        'a123456789',
        '987654321a',
        'fuckyou123',
        'babygirl123',
        'strawberry',
        'cinderella',
        'playstation',
        'tinkerbell',
        'Pass@123456',
        'Abcd@1234567',
        'Aa123456789.',
        'India@12345',
        'Willkommen1',
        'LoyaltyWallet1',
        'Winter2025!!',
        'manchesterunited',
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
  ])('%s', async (_what, passwords) => {
    expect(await findCommon(passwords)).toEqual(passwords)
  })
})

test('other passwords pass, however simple their signs', async () => {
  const good = [
    'correct horse battery',
    'correct horse battery staple',
    'correcthorsebatterystaple',
    'lampe fenster brot',
    'tulip-engine-47',
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
  expect(await findCommon(good)).toEqual([])
})

test('only the beginning of a long password counts, which bounds the time that the estimate takes', async () => {
  const tail = ' vR7pLq2mZx kx9-wq2-ab7'
  expect(await findCommon([`password1${tail}`])).toEqual([])
  const long = 'password'.repeat(4) + tail
  expect(await findCommon([long])).toEqual([long])
})

async function findCommon(passwords: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const password of passwords) if (await isCommonPassword(password, own)) found.push(password)
  return found
}
