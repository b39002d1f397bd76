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
 * Every text of the console in Spanish, as it is understood in Spain and in America. People are addressed as “usted”; buttons are infinitives (“Recargar saldo”).
 *
 * Words, one for each idea: workspace – espacio de trabajo; wallet, balance – saldo; top up – recargar; hold – reserva; capture – cargo; release – liberación; refund –
 * reembolso; statement – extracto; rate card – tarifario; template – plantilla; sender – remitente; customer – cliente; customer service window – ventana de atención;
 * key – clave; scope – permiso; rotate – renovar; endpoint – endpoint; event – evento; delivery – entrega; secret – secreto; member – miembro; owner – propietario;
 * operator – operador; audit log – registro de auditoría; queue – cola; to hold it – retener; outcome unknown – resultado desconocido; business account – cuenta de empresa; phone – teléfono.
 * Webhook, API, gateway, token and micro stay untranslated.
 */
export const spanish: Translated<typeof english> = {
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
