import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { listCommands, runCommand, runForJson } from '../support/run-command.ts'

const commands = listCommands().map(({ path }) => path)

test.each(commands.map((command) => ({ command, name: ['loyalty-wallet', ...command].join(' ') })))(
  '$name --help explains itself, with examples and --json',
  async ({ command }) => {
    const { code, stdout, stderr } = await runCommand([...command, '--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^Usage: loyalty-wallet/)
    expect(stdout).toMatch(/--json/)
    expect(stdout).toMatch(/\nExamples:\n {2}\$ .*loyalty-wallet/)
    expect(await runForJson([...command, '--help'])).toMatchObject({ code: 0, help: expect.any(String) })
  },
)

test('--version is the version of the package', async () => {
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'))
  expect(await runCommand(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  expect(await runForJson(['--version'])).toEqual({ code: 0, version })
})

test.each<{ name: string; args: string[]; env?: Record<string, string>; hint: RegExp }>([
  { name: 'an unknown command', args: ['serv'], hint: /Did you mean serve\?/ },
  { name: 'an unknown subcommand', args: ['organization', 'crate'], hint: /Did you mean create\?/ },
  { name: 'an unknown option', args: ['doctor', '--jsn'], hint: /Did you mean --json\?/ },
  {
    name: 'an unknown option of a subcommand',
    args: ['campaigns', 'apply', '-f', 'x', '--publsh'],
    hint: /Did you mean --publish\?/,
  },
  { name: 'an unknown command of a group', args: ['customers', 'fnd'], hint: /Did you mean find\?/ },
  { name: 'a shell that is none', args: ['completion', 'tcsh'], hint: /Allowed choices are bash, zsh, fish/ },
  { name: 'a missing argument', args: ['organization', 'create'], hint: /missing required argument 'name'/ },
  { name: 'an argument too many', args: ['migrate', 'now'], hint: /too many arguments/ },
  {
    name: 'a missing option',
    args: ['connection', 'create', '--organization', 'org_1'],
    hint: /required option '--integration <id>'/,
  },
  {
    name: 'half a pair of credentials',
    args: ['token'],
    env: { API_KEY: 'lwk_1' },
    hint: /API_KEY and API_SECRET/,
  },
  {
    name: 'an address that is none',
    args: ['token', '--url', 'x'],
    env: { API_KEY: 'k', API_SECRET: 's' },
    hint: /--url/,
  },
  {
    name: 'a secret where everybody can see it',
    args: ['token', '--secret', 's'],
    hint: /unknown option '--secret'/,
  },
  {
    name: 'a scope that is none',
    args: ['connection', 'create', '--organization', 'o', '--integration', 'i', '--scopes', 'pos,root'],
    hint: /"root" is not a scope/,
  },
  {
    name: 'a role that is none',
    args: ['person', 'create', '--organization', 'o', '--email', 'a@example.com', '--role', 'root'],
    hint: /"root" is not a role. Use owner, manager or cashier/,
  },
  {
    name: 'an e-mail address that is none',
    args: ['person', 'create', '--organization', 'o', '--email', 'a@b'],
    hint: /"a@b" is not an email address/,
  },
  {
    name: 'an empty name',
    args: ['organization', 'create', ' '],
    hint: /name: must have 1 to 200 characters/,
  },
])('$name ends with code 2 and a hint', async ({ args, env, hint }) => {
  const said = await runCommand(args, env)
  expect(said).toMatchObject({ code: 2, stdout: '' })
  expect(said.stderr).toMatch(hint)
  expect(await runForJson(args, env)).toMatchObject({
    code: 2,
    error: { message: expect.stringMatching(hint) },
  })
})

test('no command at all shows the help, with code 2', async () => {
  const said = await runCommand([])
  expect(said).toMatchObject({ code: 2, stdout: '' })
  expect(said.stderr).toMatch(/^Usage: loyalty-wallet/)
  expect(await runForJson([])).toMatchObject({ code: 2, error: { code: 'usage' } })
})

test('--json counts in front of the command too, and not behind --', async () => {
  expect(JSON.parse((await runCommand(['--json', 'nonsense'])).stdout)).toHaveProperty('error')
  expect((await runCommand(['nonsense', '--', '--json'])).stdout).toBe('')
})

test('settings that cannot be used are one document, with all problems in it', async () => {
  const answer = await runForJson(['serve'], { PORT: 'x', LOG_LEVEL: 'loud' })
  expect(answer).toMatchObject({
    code: 2,
    error: {
      code: 'bad_settings',
      problems: [expect.stringMatching(/^PORT/), expect.stringMatching(/^LOG_LEVEL/)],
    },
  })
})

test('without a demo.json, token says where it looked and what else can be given', async () => {
  const answer = await runForJson(['token'], { DATA_DIR: '/nowhere' })
  expect(answer).toMatchObject({
    code: 1,
    error: {
      code: 'no_demo',
      message: expect.stringMatching(/\/nowhere.*API_KEY and API_SECRET and add --url/),
    },
  })
})

test('token says so when nobody answers', async () => {
  const credentials = { API_KEY: 'lwk_1', API_SECRET: 'lws_1' }
  const answer = await runForJson(['token', '--url', 'http://127.0.0.1:1'], credentials)
  expect(answer).toMatchObject({ code: 1, error: { code: 'service_unreachable' } })
  expect(answer.error.message).toMatch(/ECONNREFUSED/)
})
