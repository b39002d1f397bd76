import * as E from 'fp-ts/lib/Either.js'
import { uuidv7 } from 'uuidv7'
import type { Sections } from '../../../adapters/console/index.js'
import type { MemoryStorage } from '../../../adapters/memory/index.js'
import type { Auditing } from '../../../core/access/acting.js'
import { lastInboundOf } from '../../../core/customers/window.js'
import type { Clock } from '../../../core/kernel/time.js'
import { messageIdOf, type PlatformId } from '../../../core/messages/message.js'
import { marketNameOf, priceBy, type RateCard } from '../../../core/money/rate-card.js'
import { makeAdjustWallet, makeReadStatement, makeReportSpend, makeTopUp } from '../../../core/money/use-cases.js'
import { makeQuoteTemplate, makeQuoteText } from '../../../core/sending/quote.js'
import { makeSendAsPerson, makeSendTemplate, makeSendText } from '../../../core/sending/send.js'
import { makeSyncByHand, makeSyncTemplates } from '../../../core/templates/sync.js'
import { makeBrowseTemplates, makeListTemplates } from '../../../core/templates/use-cases.js'

/** The sections that send, show templates and move money, as a gateway has them, with a platform that accepts every message. */
export const sendingInMemory = (storage: MemoryStorage, acting: { readonly audit: Auditing; readonly now: Clock }, card: RateCard): Required<Pick<Sections, 'send' | 'templates' | 'wallet'>> => {
  const { now, audit } = acting
  const windowClock = { ...storage.windowClock, now }
  const templateSource = { list: async () => E.right([]) }
  const deps = {
    ...storage, windowClock, priceOf: priceBy(card), newMessageId: () => messageIdOf(uuidv7()), unconfirmedAfterMs: 60_000,
    platform: { send: async () => E.right(({ platformId: `wamid.${uuidv7()}` as PlatformId })) },
    retryLater: (): never => { throw new Error('Storage in memory does not fail') },
  }
  const listTemplates = makeListTemplates(storage)
  const moving = { ...storage, ...acting, newReference: uuidv7 }
  return {
    send: {
      ...makeSendAsPerson({ sendText: makeSendText(deps), sendTemplate: makeSendTemplate(deps), audit, workspaces: deps.workspaces }),
      quoteText: makeQuoteText(deps), quoteTemplate: makeQuoteTemplate(deps), listTemplates,
      lastInbound: (workspace, to) => lastInboundOf(deps, workspace, to), newFormKey: uuidv7, now,
    },
    templates: {
      browseTemplates: makeBrowseTemplates(storage), listTemplates, rateCard: () => card,
      syncTemplates: makeSyncByHand({ ...acting, syncTemplates: makeSyncTemplates({ ...storage, windowClock, templateSource }) }),
    },
    wallet: {
      ledger: storage.ledger, walletAlerts: storage.walletAlerts, readStatement: makeReadStatement(storage), now,
      reportSpend: makeReportSpend({ ...storage, now, marketOf: (to) => marketNameOf(card, to) }),
      topUp: makeTopUp(moving), adjustWallet: makeAdjustWallet(moving),
    },
  }
}
