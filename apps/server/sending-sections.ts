import type { Container } from 'inversify'
import { uuidv7 } from 'uuidv7'
import type { Sections } from '../../adapters/console/index.js'
import { QUOTE_TEMPLATE, QUOTE_TEXT, SEND_TEMPLATE, SEND_TEXT, SYNC_TEMPLATES } from '../../adapters/inversify/index.js'
import type { KnexStorage } from '../../adapters/knex/index.js'
import { lastInboundOf } from '../../core/customers/window.js'
import { cardAt, marketNameOf, type RateCard } from '../../core/money/rate-card.js'
import { makeAdjustWallet, makeReadStatement, makeReportSpend, makeTopUp } from '../../core/money/use-cases.js'
import { makeSendAsPerson } from '../../core/sending/send.js'
import { makeSyncByHand } from '../../core/templates/sync.js'
import { makeBrowseTemplates, makeListTemplates } from '../../core/templates/use-cases.js'
import { auditingOf } from './auditing.js'
import { RATE_CARDS } from './container.js'
import { emissionOf } from './emission.js'

/** What the pages that send, of the templates and of the wallet show and do. */
export const sendingSections = (container: Container, storage: KnexStorage): Required<Pick<Sections, 'send' | 'templates' | 'wallet'>> => {
  const audit = auditingOf(storage)
  const acting = { ...storage, audit, events: emissionOf(storage), now: Date.now, newReference: uuidv7 }
  const rateCard = (): RateCard => cardAt(container.get(RATE_CARDS).cards(), Date.now())
  const listTemplates = makeListTemplates(storage)
  return {
    send: {
      ...makeSendAsPerson({ sendText: container.get(SEND_TEXT), sendTemplate: container.get(SEND_TEMPLATE), audit, workspaces: storage.workspaces }),
      quoteText: container.get(QUOTE_TEXT), quoteTemplate: container.get(QUOTE_TEMPLATE), listTemplates,
      lastInbound: (workspace, to) => lastInboundOf(storage, workspace, to), newFormKey: uuidv7, now: Date.now,
    },
    templates: {
      browseTemplates: makeBrowseTemplates(storage), listTemplates, rateCard,
      syncTemplates: makeSyncByHand({ ...acting, syncTemplates: container.get(SYNC_TEMPLATES) }),
    },
    wallet: {
      ledger: storage.ledger, walletAlerts: storage.walletAlerts, readStatement: makeReadStatement(storage), now: Date.now,
      reportSpend: makeReportSpend({ ...acting, marketOf: (to) => marketNameOf(rateCard(), to) }),
      topUp: makeTopUp(acting), adjustWallet: makeAdjustWallet(acting),
    },
  }
}
