import { uuidv7 } from 'uuidv7'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Sections } from '../../../adapters/console/index.js'
import type { MemoryStorage } from '../../../adapters/memory/index.js'
import { messageIdOf, type PlatformId } from '../../../core/message.js'
import { marketNameOf, priceBy, type RateCard } from '../../../core/rate-card.js'
import type { Clock } from '../../../core/time.js'
import type { Auditing } from '../../../core/use-cases/acting.js'
import { makeAdjustWallet } from '../../../core/use-cases/adjust-wallet.js'
import { makeBrowseTemplates } from '../../../core/use-cases/browse-templates.js'
import { makeListTemplates } from '../../../core/use-cases/list-templates.js'
import { makeQuoteTemplate } from '../../../core/use-cases/quote-template.js'
import { makeQuoteText } from '../../../core/use-cases/quote-text.js'
import { makeReadStatement } from '../../../core/use-cases/read-statement.js'
import { makeReportSpend } from '../../../core/use-cases/report-spend.js'
import { makeSendAsPerson } from '../../../core/use-cases/send-as-person.js'
import { makeSendTemplate } from '../../../core/use-cases/send-template.js'
import { makeSendText } from '../../../core/use-cases/send-text.js'
import { makeSyncByHand } from '../../../core/use-cases/sync-by-hand.js'
import { makeSyncTemplates } from '../../../core/use-cases/sync-templates.js'
import { makeTopUp } from '../../../core/use-cases/top-up.js'
import { lastInboundOf } from '../../../core/window.js'

/** The sections that send, show templates and move money, as a gateway has them, with a platform that accepts every message. */
export const sendingInMemory = (storage: MemoryStorage, acting: { readonly audit: Auditing; readonly now: Clock }, card: RateCard): Required<Pick<Sections, 'send' | 'templates' | 'wallet'>> => {
  const { now, audit } = acting
  const windowClock = { ...storage.windowClock, now }
  const templateSource = { list: () => TE.right([]) }
  const deps = {
    ...storage, windowClock, priceOf: priceBy(card), newMessageId: () => messageIdOf(uuidv7()), unconfirmedAfterMs: 60_000,
    platform: { send: () => TE.fromIO(() => ({ platformId: `wamid.${uuidv7()}` as PlatformId })) },
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
