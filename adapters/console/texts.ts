import { customersTexts } from './texts/customers.js'
import { developersTexts } from './texts/developers.js'
import { messagesTexts } from './texts/messages.js'
import { operatorsTexts } from './texts/operators.js'
import { overviewTexts } from './texts/overview.js'
import { peopleTexts } from './texts/people.js'
import { requestsTexts } from './texts/requests.js'
import { searchTexts } from './texts/search.js'
import { sendingTexts } from './texts/sending.js'
import { settingsTexts } from './texts/settings.js'
import { sharedTexts } from './texts/shared.js'
import { walletTexts } from './texts/wallet.js'

/** Every text of the console that a person reads, in plain English, by page. */
export const TEXTS = {
  ...sharedTexts,
  ...peopleTexts,
  ...searchTexts,
  ...overviewTexts,
  ...messagesTexts,
  ...sendingTexts,
  ...customersTexts,
  ...walletTexts,
  ...developersTexts,
  ...requestsTexts,
  ...settingsTexts,
  ...operatorsTexts,
}
