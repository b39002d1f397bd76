import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { isTooOld } from '../catalogue-state.js'
import { checkTemplate } from '../check-template.js'
import type { PortFailure, TemplateNotApproved, TemplateNotFound, TemplateParameters } from '../errors.js'
import type { TemplateMessage } from '../message.js'
import { rememberedNearestNames } from '../nearest-names.js'
import type { Sender } from '../ports/senders.js'
import type { NamedTemplates, TemplateCatalogue } from '../ports/template-catalogue.js'
import type { WindowClock } from '../ports/window-clock.js'
import { readableAccount } from '../readable-account.js'
import { isApproved, isSendable, type Template } from '../template.js'
import type { RefreshTemplate } from './refresh-template.js'

/** What the platform would refuse of a template. */
export type PreflightRefusal = TemplateNotFound | TemplateNotApproved | TemplateParameters

/** The templates of one name that the catalogue has of a business account, or why they could not be read. */
export type ListedTemplates = { readonly accountId: string; readonly found: E.Either<PortFailure, NamedTemplates> }

/** What checking templates needs. */
export type PreflightDeps = {
  /** The copy of the platform's templates; where absent, no template is known. */
  readonly templateCatalogue?: Pick<TemplateCatalogue, 'find' | 'names'>
  /** Asks the platform before a template is refused; where absent, one that the catalogue does not have is not refused. */
  readonly refreshTemplate?: RefreshTemplate
  /** `off`: no template is refused; its category still decides its price. `on` where absent. */
  readonly templatePreflight?: 'on' | 'off'
  readonly windowClock: Pick<WindowClock, 'now'>
}

/**
 * Looks a template up, unless `listed` has what the catalogue has of it, and checks it before money is held for it. Right: the template; `undefined` if it is not known for sure, so that the platform decides.
 *
 * A wrong refusal is worse than the platform's own, which costs nothing. So before the catalogue refuses a template, its name is read once more at
 * the platform. If that fails, a template that the catalogue does not have is not refused.
 */
export const preflight =
  (
    deps: PreflightDeps, sender: Sender, message: TemplateMessage, listed?: ListedTemplates,
  ): TE.TaskEither<PreflightRefusal | PortFailure, Template | undefined> =>
  async () => {
    const accountId = readableAccount(sender)
    const { templateCatalogue: catalogue, refreshTemplate = notRefreshed, templatePreflight = 'on', windowClock } = deps
    if (catalogue === undefined || accountId === undefined) return E.right(undefined)
    const found = listed?.accountId === accountId ? listed.found : await catalogue.find(accountId, message.name)()
    if (E.isLeft(found)) return found
    if (templatePreflight === 'off' || isTooOld(found.right.listedAt, windowClock.now())) return E.right(templateOf(found.right, message))
    const checked = check(found.right, message)
    if (E.isRight(checked)) return checked
    const isRefreshed = await refreshTemplate({ businessAccountId: accountId, accessToken: sender.accessToken }, message.name)()
    if (!isRefreshed) return checked.left._tag === 'TemplateNotFound' ? E.right(undefined) : checked
    const fresh = await catalogue.find(accountId, message.name)()
    return E.isLeft(fresh) ? fresh : withNearest(catalogue, accountId, check(fresh.right, message))
  }

const notRefreshed: RefreshTemplate = () => () => Promise.resolve(false)

const templateOf = ({ templates }: NamedTemplates, { language }: TemplateMessage): Template | undefined =>
  templates.find((template) => template.language === language)

const check = (found: NamedTemplates, message: TemplateMessage): E.Either<PreflightRefusal, Template> => {
  const { name, language, components } = message
  const languages = found.templates.filter(isApproved).map((template) => template.language)
  const template = templateOf(found, message)
  if (template === undefined) return E.left({ _tag: 'TemplateNotFound', name, language, languages, nearest: [] })
  if (!isSendable(template)) return E.left({ _tag: 'TemplateNotApproved', name, language, status: template.status, languages })
  const filled = checkTemplate(template, components)
  return E.isLeft(filled) ? filled : E.right(template)
}

/** A name that exists in no language may be misspelt. */
const withNearest = async (
  catalogue: Pick<TemplateCatalogue, 'names'>, accountId: string, checked: E.Either<PreflightRefusal, Template>,
): Promise<E.Either<PreflightRefusal, Template>> => {
  if (E.isRight(checked) || checked.left._tag !== 'TemplateNotFound' || checked.left.languages.length > 0) return checked
  const names = await catalogue.names(accountId)()
  return E.isLeft(names) ? checked : E.left({ ...checked.left, nearest: rememberedNearestNames(checked.left.name, names.right) })
}
