import type { Command } from 'commander'
import * as E from 'fp-ts/lib/Either.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import type { Forbidden } from '../../core/access/access.js'
import { nearestNames } from '../../core/kernel/nearest.js'
import type { Instant } from '../../core/kernel/time.js'
import { readableAccount, requiredSender, type SenderChoice, type SenderId } from '../../core/senders/sender.js'
import type { CatalogueState, TemplateCatalogue } from '../../core/templates/catalogue.js'
import { previewOf } from '../../core/templates/parts.js'
import type { SyncTemplatesError } from '../../core/templates/sync.js'
import { type Placeholder, placeholdersOf, type TemplateRecord, templateView } from '../../core/templates/template.js'
import { readingFault } from '../server/checks.js'
import { printable, statusCounts } from '../server/summary.js'
import { commandLine, jsonOption, senderOption, WORKSPACE } from './arguments.js'
import { withWorkspace } from './cli-config.js'
import { allItems, fail, iso, type JsonFlag, print, table, unwrap } from './output.js'
import type { Shell } from './shell.js'

/** A template for people: what is known about it, its texts, and its placeholders. */
export const templateLines = (template: TemplateRecord): ReadonlyArray<string> => {
  const { header, body, footer, buttons } = previewOf(template, undefined)
  return [
    `${printable(template.name)} in ${printable(template.language)}`,
    ...titled('id', template.id),
    ...titled('category', template.category),
    ...titled('status', template.status),
    ...titled('quality', template.quality ?? '-'),
    ...titled('read at', iso(template.listedAt)),
    ...titled('header', header), ...titled('body', body), ...titled('footer', footer),
    ...buttons.flatMap((button, index) => titled(`button ${index}`, button)),
    ...titled('to fill', placesOf(template)),
  ]
}

const titled = (title: string, text: string | undefined): ReadonlyArray<string> =>
  (text === undefined || text === '' ? [] : text.split(/\r\n|\r|\n/)).map((line, n) => `  ${(n === 0 ? title : '').padEnd(9)}  ${printable(line)}`.trimEnd())

const placesOf = (template: TemplateRecord): string => {
  const places = placeholdersOf(template)
  if (places === undefined) return 'not known, since the components could not be read'
  return places.length === 0 ? 'nothing' : places.map(placeWords).join('\n')
}

const placeWords = ({ component, type, index, name, button, card, optional }: Placeholder): string => {
  const where = [card === undefined ? '' : `card ${card}`, component.replaceAll('_', ' '), button ?? '', name ?? index ?? '']
    .filter((word) => word !== '')
  return `${where.join(' ')} (${type}${optional === true ? ', may be left out' : ''})`
}

/** `postern template …`: the local copy of the platform's template list. */
export const addTemplateCommands = (program: Command, shell: Shell): void => {
  const template = program.command('template').description("the local copy of the platform's template list")

  template.command('sync')
    .description("read the platform's list now, for the business account of a sender of the workspace")
    .argument('<workspace>', WORKSPACE)
    .addOption(senderOption())
    .addOption(jsonOption())
    .action((workspace: string, options: SenderFlag) => sync(shell, workspace, options))

  template.command('list')
    .description('list the templates as last read from the platform, by name and language')
    .argument('<workspace>', WORKSPACE)
    .addOption(senderOption())
    .addOption(jsonOption())
    .action((workspace: string, options: SenderFlag) => list(shell, workspace, options))

  template.command('show')
    .description('show a template in each of its languages, with its placeholders')
    .argument('<workspace>', WORKSPACE)
    .argument('<name>', "the template's exact name")
    .addOption(senderOption())
    .addOption(jsonOption())
    .action((workspace: string, name: string, options: SenderFlag) => show(shell, workspace, name, options))
}

type SenderFlag = JsonFlag & { readonly sender?: SenderId }

const sync = (shell: Shell, idOrName: string, { sender, ...options }: SenderFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage, ports, settings, config: { platform } }, { id: workspace }) => {
    const [{ withTemplateSource }, { makeTemplateReading }] = await Promise.all([
      import('./template-source.js'), import('../../core/postern.js'),
    ])
    const synced = await withTemplateSource(platform, (templateSource) =>
      makeTemplateReading({ ...ports, templateSource }, settings).syncByHand({ by: commandLine(), workspace, sender }))
    if (E.isLeft(synced)) return failReading(synced.left)
    const { accountId } = synced.right
    const templates = await templatesOf(storage.templateCatalogue, accountId)
    print(shell, options, templates.map(templateView), () => [`Read ${statusCounts(templates)} of business account ${accountId}.`])
  })

const failReading = (error: SyncTemplatesError | Forbidden): Promise<never> => {
  switch (error._tag) {
    case 'Forbidden': case 'PortFailure': case 'SenderNotConfigured': case 'UnknownSender': case 'BusinessAccountNotConfigured':
      return unwrap(E.left(error))
    case 'SyncStopped': return fail('Reading the templates was stopped; nothing was changed.')
    case 'PlatformRejected': case 'PlatformThrottled': case 'CredentialsRefused': case 'PlatformUnreachable': {
      const { fault, remedy } = readingFault(error)
      return fail(`${fault}. ${remedy}`)
    }
  }
}

const list = (shell: Shell, idOrName: string, { sender, ...options }: SenderFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage }, { id: workspace }) => {
    const account = await accountOf(storage, { workspace, sender })
    const templates = await templatesOf(storage.templateCatalogue, account)
    const state = await unwrap(storage.templateCatalogue.stateOf(account))
    print(shell, options, templates.map(templateView), () => [
      ...(templates.length === 0 ? [] : table(
        ['NAME', 'LANGUAGE', 'CATEGORY', 'STATUS', 'QUALITY'],
        templates.map(({ name, language, category, status, quality }) =>
          [printable(name), printable(language), category, status, quality ?? '-']),
      )),
      ...stateLines(state, templates.length),
    ])
  })

const show = (shell: Shell, idOrName: string, name: string, { sender, ...options }: SenderFlag): Promise<void> =>
  withWorkspace(shell, idOrName, async ({ storage }, { id: workspace }) => {
    const { templateCatalogue } = storage
    const account = await accountOf(storage, { workspace, sender })
    const { templates, listedAt } = await unwrap(templateCatalogue.find(account, name))
    if (templates.length === 0 && listedAt === undefined) return fail(NEVER_READ)
    if (templates.length === 0) return fail(notFound(name, await unwrap(templateCatalogue.names(account))))
    print(shell, options, templates.map(templateView), () =>
      templates.flatMap((template, n) => [...(n === 0 ? [] : ['']), ...templateLines(template)]))
  })

const NEVER_READ = "The platform's list of templates was never read; `postern template sync WORKSPACE` reads it."

const notFound = (name: string, names: ReadonlyArray<string>): string => {
  const nearest = nearestNames(name, names)
  return `There is no template ${JSON.stringify(name)}; ${
    nearest.length === 0 ? '`postern template list WORKSPACE` shows all of them' : `similar names are ${nearest.map(printable).join(', ')}`}.`
}

const stateLines = ({ listedAt, fault }: CatalogueState, count: number): ReadonlyArray<string> => [
  ...(listedAt === undefined ? [NEVER_READ] : [`${count === 0 ? 'The business account has no templates; the list was read' : 'Read'} at ${iso(listedAt)}.`]),
  ...(fault === undefined ? [] : [`The last read failed at ${iso(fault.at)}: ${printable(fault.sentence)}`]),
]

/** The business account of a sender. */
const accountOf = async ({ senders }: Pick<KnexStorage, 'senders'>, choice: SenderChoice): Promise<string> => {
  const sender = await unwrap(requiredSender(senders, choice))
  if (sender.accountRefusedSince !== undefined) return fail(refusedSince(sender.accountRefusedSince))
  return readableAccount(sender) ?? unwrap(E.left({ _tag: 'BusinessAccountNotConfigured' }))
}

const refusedSince = (since: Instant): string =>
  `Since ${iso(since)} the access token cannot read the business account, so its templates are not shown; \`postern template sync WORKSPACE\` tries again, and \`postern sender set\` stores another token.`

const templatesOf = (catalogue: TemplateCatalogue, account: string): Promise<ReadonlyArray<TemplateRecord>> =>
  allItems((query) => catalogue.list(account, query))
