import type { english } from '../en/catalogue.js'
import type { Translated } from '../translating.js'
import { batchesTexts } from './batches.js'
import { customersTexts } from './customers.js'
import { developersTexts } from './developers.js'
import { messagesTexts } from './messages.js'
import { operatorsTexts } from './operators.js'
import { overviewTexts } from './overview.js'
import { peopleTexts } from './people.js'
import { platformErrors } from './platform-errors.js'
import { queueTexts } from './queue.js'
import { requestsTexts } from './requests.js'
import { searchTexts } from './search.js'
import { sendingTexts } from './sending.js'
import { settingsTexts } from './settings.js'
import { sharedTexts } from './shared.js'
import { statementTexts } from './statement.js'
import { walletTexts } from './wallet.js'

/**
 * Every text of the console in German. Buttons are verbs (“Guthaben aufladen”); “Sie” is used only if a sentence needs a person.
 *
 * Words, one for each idea: workspace – Arbeitsbereich; wallet, balance – Guthaben; top up – aufladen; hold – Reservierung; capture – Abbuchung; release – Freigabe;
 * refund – Erstattung; statement – Kontoauszug, of a month Abrechnung; rate card – Preisliste; template – Vorlage; sender – Absender; customer – Kunde; customer service
 * window – Servicefenster; key – Schlüssel; scope – Berechtigung; rotate – erneuern; endpoint – Endpunkt; event – Ereignis; delivery – Zustellung; secret – Geheimnis;
 * member – Mitglied; owner – Inhaber; operator – Betreiber; audit log – Audit-Protokoll; queue – Warteschlange; to hold it – anhalten; outcome unknown – Ergebnis unbekannt; business account – Unternehmenskonto.
 * Webhook, API, Gateway, Token and Micro stay untranslated.
 */
export const german: Translated<typeof english> = {
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
  platformErrors,
}
