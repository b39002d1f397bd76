import type { ListKeys } from '../../../../core/money/use-cases.js'
import type { RequestUseCases } from '../../../../core/requests/request-log.js'

/** What the pages of the calls of the API need. */
export type RequestsSection = RequestUseCases & {
  /** For the names of the keys. */
  readonly listKeys: ListKeys
  /** How many calls of a workspace are kept of a minute: of those that were answered, and of those that were refused. */
  readonly keptAMinute: { readonly answered: number; readonly refused: number }
}
