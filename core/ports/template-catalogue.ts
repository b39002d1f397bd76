import type { TaskEither } from 'fp-ts/lib/TaskEither.js'
import type { CatalogueState } from '../catalogue-state.js'
import type { PortFailure } from '../errors.js'
import type { Along } from '../event.js'
import type { Page, PageQuery } from '../page.js'
import type { Template, TemplateChange, TemplateDiff, TemplateRecord } from '../template.js'
import type { Instant } from '../time.js'

export { faultedState, listedState, NEVER_LISTED } from '../catalogue-state.js'
export type { CatalogueFault, CatalogueState } from '../catalogue-state.js'
export { changedTemplate, hasChanged, isCatalogued, isGone, listedTemplate } from '../template.js'
export type { Template, TemplateChange, TemplateDiff, TemplateRecord } from '../template.js'
export { templateCursor, templatePlace } from '../template-cursor.js'
export type { TemplatePlace } from '../template-cursor.js'
export type { PortFailure } from '../errors.js'
export type { Along, AlongEntry } from '../event.js'
export type { JsonObject } from '../json.js'
export type { Page, PageQuery } from '../page.js'
export type { Instant } from '../time.js'

/** A copy of the platform's list of templates, for each business account. */
export interface TemplateCatalogue {
  /**
   * The templates of an account under one name, in every language, ordered by language, and when the whole list was last read.
   *
   * Names, languages and account ids compare exactly, with letter case.
   */
  readonly find: (accountId: string, name: string) => TaskEither<PortFailure, NamedTemplates>
  /**
   * The templates of an account, or those of one name, ordered by name and language; texts are ordered by their UTF-8 bytes.
   *
   * A cursor names the last template of its page (`templateCursor`) and continues after it, even if templates were added or removed since. An
   * unknown cursor never fails. The last page has no next, even if it is full.
   */
  readonly list: (accountId: string, query: TemplateQuery) => TaskEither<PortFailure, Page<TemplateRecord>>
  /** The names of an account's templates, each once, in the order of `list`. */
  readonly names: (accountId: string) => TaskEither<PortFailure, ReadonlyArray<string>>
  /**
   * Takes in the whole list of an account, as it was at a moment.
   *
   * `listedTemplate` is the rule for each template, `isGone` for those that the list does not have, `listedState` for the account. A list that was
   * read before the one that is kept changes nothing. All of it is seen at once or none. A template with a name or a language that no
   * catalogue keeps (`isCatalogued`) is left out; of two with one name and language the last counts.
   * `along` is called where known templates have changed as `hasChanged` says, once for all of them; its entries may be for several workspaces.
   */
  readonly replaceAll: (
    accountId: string, listed: ReadonlyArray<Template>, at: Instant, along?: Along<ReadonlyArray<TemplateDiff>>,
  ) => TaskEither<PortFailure, void>
  /**
   * The same for the templates of one name; others that are listed are left out. It does not count as a reading of the whole list, and changes nothing
   * if the whole list was read after it. What it removes is not remembered: a whole list that was read before and arrives after brings it back.
   */
  readonly replaceNamed: (
    accountId: string, name: string, listed: ReadonlyArray<Template>, at: Instant, along?: Along<ReadonlyArray<TemplateDiff>>,
  ) => TaskEither<PortFailure, void>
  /** Changes a template; `changedTemplate` is the rule. `false`: the catalogue does not have it. `along` is called as by `replaceAll`. */
  readonly change: (accountId: string, change: TemplateChange, along?: Along<ReadonlyArray<TemplateDiff>>) => TaskEither<PortFailure, boolean>
  /** Notes why the list of an account could not be read, in a sentence for the operator (`faultedState`). A later `replaceAll` removes the note. */
  readonly noteFault: (accountId: string, fault: string, at: Instant) => TaskEither<PortFailure, void>
  /** When the list of an account was last read, and why a later reading failed. */
  readonly stateOf: (accountId: string) => TaskEither<PortFailure, CatalogueState>
}

/** The templates of one name and when the whole list of the account was last read; `undefined` if never. */
export type NamedTemplates = { readonly templates: ReadonlyArray<TemplateRecord>; readonly listedAt: Instant | undefined }

/** Which templates to list. */
export type TemplateQuery = PageQuery & { readonly name?: string }
