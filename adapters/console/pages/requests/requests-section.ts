import type { ListKeys } from '../../../../core/money/use-cases.js'
import type { RequestUseCases } from '../../../../core/requests/request-log.js'

/** The dependencies of the pages of API requests. */
export type RequestsSection = RequestUseCases & {
  /** For the names of the keys. */
  readonly listKeys: ListKeys
  /** How many requests of a workspace are kept per minute: of those that succeeded, and of those that were refused. */
  readonly keptAMinute: { readonly answered: number; readonly refused: number }
}
