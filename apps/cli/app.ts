import { type Command, Option } from 'commander'
import type { Administration } from '../../core/postern.js'
import { type AppChange, type AppUseCases, type PlatformApp, webhookPathOf } from '../../core/workspaces/apps.js'
import type { Config } from '../server/config.js'
import { commandLine, jsonOption } from './arguments.js'
import { loadConfig, requireSecret, withStorage } from './cli-config.js'
import { fail, iso, type JsonFlag, print, remark, table, UsageError, unwrap } from './output.js'
import { readInput, type Shell } from './shell.js'

type RotateOptions = JsonFlag & { readonly finish?: true; readonly cancel?: true; readonly verifyToken?: true }

const APP = "the app's name or id"

/** `postern app …`: the apps of the platform, in addition to the app of the environment. */
export const addAppCommands = (program: Command, shell: Shell): void => {
  const app = program.command('app').description('apps of the platform in addition to that of the environment, each with its own webhook address')

  app.command('add')
    .description('add an app. Standard input is its app secret and, on a second line, its verify token; without a second line a token is created and printed')
    .argument('<name>', 'a name of letters, digits, - and _, which becomes part of the webhook address')
    .addOption(jsonOption())
    .action((name: string, options: JsonFlag) => add(shell, name, options))

  app.command('list')
    .description('list the apps and their webhook addresses, oldest first; secrets are never shown')
    .addOption(jsonOption())
    .action((options: JsonFlag) => list(shell, options))

  app.command('rotate')
    .description('change the app secret without refusing a notification: standard input is the new app secret, and both are valid until you run this command again '
      + 'with --finish, after the platform signs with the new one')
    .argument('<app>', APP)
    .addOption(
      new Option('--finish', 'remove the old app secret; gateways may accept it for a few more seconds')
        .conflicts(['cancel', 'verifyToken']),
    )
    .addOption(new Option('--cancel', 'remove the new app secret, for example if it was mistyped').conflicts(['finish', 'verifyToken']))
    .addOption(
      new Option('--verify-token', 'replace the verify token instead; standard input is the new one').conflicts(['finish', 'cancel']),
    )
    .addOption(jsonOption())
    .action((name: string, options: RotateOptions) => rotate(shell, name, options))

  app.command('remove')
    .description('remove an app that no sender belongs to; its webhook address then answers 404')
    .argument('<app>', APP)
    .addOption(jsonOption())
    .action((name: string, options: JsonFlag) => remove(shell, name, options))
}

/** Secrets are never arguments, because every user of the machine can see the arguments of a process. */
const add = async (shell: Shell, name: string, options: JsonFlag): Promise<void> => {
  requireSecret(await loadConfig(shell), 'the secrets of apps')
  const [appSecret = '', given, ...more] = await secretsFrom(shell, 'App secret, and on a second line a verify token if you have one')
  if (more.length > 0) throw new UsageError('Standard input has more than two lines; it must be the app secret and, optionally, the verify token.')
  await withStorage(shell, async ({ postern, config }) => {
    const { app, verifyToken } = await unwrap(
      appsOf(postern).addApp({ by: commandLine(), name, appSecret, ...(given !== undefined && { verifyToken: given }) }),
    )
    const view = appView(config, app)
    print(shell, options, { ...view, verify_token: given === undefined ? verifyToken : null }, () => [
      `App ${app.name} (${app.id}) receives webhooks at ${view.webhook}.`,
      ...(given === undefined ? [`Verify token: ${verifyToken}`] : []),
    ])
    if (given === undefined) remark(shell, options, 'The verify token cannot be shown again; enter it on the platform, together with the address.')
  })
}

const list = (shell: Shell, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ postern, config }) => {
    const apps = (await unwrap(appsOf(postern).listApps())).map((app) => appView(config, app))
    print(shell, options, apps, () =>
      apps.length === 0
        ? ['There is no app yet except that of the environment; `postern app add NAME` adds one.']
        : table(
            ['ID', 'NAME', 'CREATED', 'TWO SECRETS SINCE', 'WEBHOOK'],
            apps.map((app) => [app.id, app.name, app.created_at, app.rotating_since ?? '-', app.webhook]),
          ),
    )
  })

const rotate = async (shell: Shell, named: string, { finish, cancel, verifyToken, ...options }: RotateOptions): Promise<void> => {
  const change = finish === true ? { _tag: 'OlderRemoved' } as const
    : cancel === true ? { _tag: 'NewerRemoved' } as const
    : await changeFrom(shell, verifyToken === true)
  await withStorage(shell, async ({ postern, config }) => {
    const app = await unwrap(appsOf(postern).rotateApp({ by: commandLine(), app: named, change }))
    print(shell, options, appView(config, app), () => [DONE[change._tag](app.name)])
  })
}

const changeFrom = async (shell: Shell, isVerifyToken: boolean): Promise<AppChange> => {
  requireSecret(await loadConfig(shell), 'the secrets of apps')
  const [secret = '', ...more] = await secretsFrom(shell, isVerifyToken ? 'New verify token' : 'New app secret')
  if (more.length > 0) throw new UsageError('Standard input has more than one line.')
  return isVerifyToken ? { _tag: 'VerifyTokenReplaced', verifyToken: secret } : { _tag: 'SecretAdded', appSecret: secret }
}

const DONE: Readonly<Record<AppChange['_tag'], (name: string) => string>> = {
  SecretAdded: (name) =>
    `App ${name} now has two app secrets, and both are valid. Once the platform signs with the new one, run \`postern app rotate ${name} --finish\`.`,
  OlderRemoved: (name) => `The old app secret of app ${name} is removed; gateways may accept it for a few more seconds.`,
  NewerRemoved: (name) => `The new app secret of app ${name} is removed; the old one stays valid.`,
  VerifyTokenReplaced: (name) => `App ${name} has the new verify token. Addresses that are already verified keep working.`,
}

const remove = (shell: Shell, named: string, options: JsonFlag): Promise<void> =>
  withStorage(shell, async ({ postern }) => {
    const { id, name } = await unwrap(appsOf(postern).removeApp({ by: commandLine(), app: named }))
    print(shell, options, { id, removed: true }, () => [`App ${name} is removed; gateways may accept notifications at its address for a few more seconds.`])
  })

/** The use cases of apps. */
export const appsOf = ({ apps }: Administration): AppUseCases => apps ?? fail('This storage has no apps.')

/** The lines of standard input, without the spaces around them and without empty lines at the end. */
const secretsFrom = async (shell: Shell, prompt: string): Promise<ReadonlyArray<string>> => {
  const text = await readInput(shell, prompt)
  return text.trimEnd().split('\n').map((line) => line.trim())
}

const appView = ({ console: { publicUrl } }: Config, app: PlatformApp) => ({
  id: app.id, name: app.name, webhook: `${publicUrl === undefined ? '' : new URL(publicUrl).origin}${webhookPathOf(app)}`,
  created_at: iso(app.createdAt), rotating_since: iso(app.rotatingSince),
})
