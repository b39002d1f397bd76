import type { BatchesOfWorkspace } from './batching.js'
import { makeAuthenticateKey } from './access/key-use-cases.js'
import { type ConsentUseCases, makeShowCustomerWithConsent } from './consent/use-cases.js'
import { makeShowWindows } from './customers/use-cases.js'
import type { EventUseCases } from './events/use-cases.js'
import { makeFilterBySender, makeListMessages } from './messages/message-log.js'
import { makeShowScheduled } from './money/scheduled.js'
import { makeReadStatement } from './money/statement.js'
import { type ApiPorts, guardPorts } from './ports.js'
import { type Administration, clockOf, type ConversationUseCases, type Files, type Quotes, type Sending, type Settling } from './postern.js'
import { chosenSender, listedSenders } from './senders/sender.js'
import { makeShowSender, makeShowSenders } from './senders/show-senders.js'
import { makeShowTemplateResults } from './templates/results.js'
import { makeListTemplates } from './templates/use-cases.js'

/**
 * The use cases that the HTTP API calls, by concept; those of `Postern` serve all operations. An app without some of the optional ones serves fewer operations.
 */
export type Api = Pick<Administration, 'clock'> & {
  readonly keys: Pick<Administration['keys'], 'authenticateKey'>
  readonly sending:
    & Pick<Sending, 'send'>
    & Partial<Pick<Sending, 'cancel' | 'prefetch' | 'sendOrQueue' | 'showQueue' | 'confirmsDelivery'> & Quotes & Files>
  readonly messages:
    & Pick<Administration['messages'], 'listMessages' | 'readMessage'>
    & Partial<Pick<Administration['messages'], 'filterBySender' | 'readContents'>>
  readonly money: Pick<Administration['money'], 'readStatement' | 'showBalance'> & Partial<Pick<Administration['money'], 'showScheduled'>>
  readonly customers: Pick<Administration['customers'], 'showWindows' | 'showCustomer'>
  /** What customers allow and stop. */
  readonly consent?: Pick<ConsentUseCases, 'importConsents' | 'listConsents' | 'recordConsent' | 'setOptOut' | 'showSettings'>
  /** Without it there is no Graph-compatible API, and no senders are shown. */
  readonly workspaces?: Pick<Administration['workspaces'], 'findSender' | 'listSenders' | 'showSender' | 'showSenders'>
  readonly templates?: Pick<Administration['templates'], 'listTemplates' | 'showResults'>
  readonly conversation?: ConversationUseCases
  readonly batches?: BatchesOfWorkspace
  readonly events?: EventUseCases
  /** The processing of the platform's reports, which the webhook needs. */
  readonly upkeep?: Partial<Pick<Administration['upkeep'], 'receive' | 'relay'>>
}

/** Makes the use cases of the HTTP API for an app that sends; each optional port adds operations. `makePostern` makes them, too, with those of operators. */
export const makeApi = (given: ApiPorts, { send, receive, ...sending }: Api['sending'] & Partial<Settling>): Api => {
  const ports = guardPorts(given)
  const { keyStore, messageLog, messageContents, ledger, senders, templateCatalogue, templateResults, windowClock } = ports
  return {
    clock: clockOf(windowClock),
    keys: { authenticateKey: makeAuthenticateKey({ keyStore, now: windowClock.now }) },
    sending: { send, ...sending },
    messages: {
      listMessages: makeListMessages(ports), readMessage: messageLog.find,
      ...(senders && { filterBySender: makeFilterBySender({ senders }) }), ...(messageContents && { readContents: messageContents.find }),
    },
    money: {
      showBalance: ledger.balance, readStatement: makeReadStatement(ports),
      showScheduled: makeShowScheduled({ messageQueue: ports.messageQueue, now: windowClock.now }),
    },
    customers: { showCustomer: makeShowCustomerWithConsent(ports), showWindows: makeShowWindows(ports) },
    ...(senders && {
      workspaces: {
        findSender: (choice) => chosenSender(senders, choice), listSenders: listedSenders(senders),
        showSenders: makeShowSenders({ senders, numberHealth: ports.numberHealth }),
        showSender: makeShowSender({ senders, numberHealth: ports.numberHealth }),
      },
    }),
    ...(senders && templateCatalogue && {
      templates: {
        listTemplates: makeListTemplates({ senders, templateCatalogue }),
        ...(templateResults && { showResults: makeShowTemplateResults({ templateResults, ledger }) }),
      },
    }),
    ...(receive && { upkeep: { receive } }),
  }
}
