import type { Ledger } from '../../core/money/ledger.js'
import { done } from '../support/right-of.js'

/** Throws if the audit of any workspace fails. */
export const checkBooks = async ({ ledger }: { readonly ledger: Ledger }): Promise<void> => {
  const { broken } = await done(ledger.audit())
  if (broken.length > 0) throw new Error(`the audit failed: ${broken.slice(0, 3).map(({ fault }) => fault).join('; ')}`)
}
