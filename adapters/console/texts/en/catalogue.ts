import { PLATFORM_ERROR_TEXTS } from '../../../../core/explanations/platform-errors.js'
import { batchesTexts } from './batches.js'
import { customersTexts } from './customers.js'
import { developersTexts } from './developers.js'
import { messagesTexts } from './messages.js'
import { operatorsTexts } from './operators.js'
import { overviewTexts } from './overview.js'
import { peopleTexts } from './people.js'
import { queueTexts } from './queue.js'
import { requestsTexts } from './requests.js'
import { searchTexts } from './search.js'
import { sendingTexts } from './sending.js'
import { settingsTexts } from './settings.js'
import { sharedTexts } from './shared.js'
import { statementTexts } from './statement.js'
import { walletTexts } from './wallet.js'

/** Every text of the console that a person reads, in plain English, by page. The other languages have the same texts, in the same places. */
export const english = {
  ...sharedTexts,
  ...peopleTexts,
  ...searchTexts,
  ...overviewTexts,
  ...messagesTexts,
  ...batchesTexts,
  ...queueTexts,
  ...sendingTexts,
  ...customersTexts,
  ...statementTexts,
  ...walletTexts,
  ...developersTexts,
  ...requestsTexts,
  ...settingsTexts,
  ...operatorsTexts,
  platformErrors: PLATFORM_ERROR_TEXTS,
}
