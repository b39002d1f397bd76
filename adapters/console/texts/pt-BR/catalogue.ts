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
 * Every text of the console in the Portuguese of Brazil. People are addressed as “você”; buttons are infinitives (“Recarregar saldo”).
 *
 * Words, one for each idea: workspace – espaço de trabalho; wallet, balance – saldo; top up – recarregar; hold – reserva; capture – cobrança; release – liberação; refund –
 * reembolso; statement – extrato; rate card – tabela de preços; template – modelo; sender – remetente; customer – cliente; customer service window – janela de
 * atendimento; key – chave; scope – permissão; rotate – renovar; endpoint – endpoint; event – evento; delivery – entrega; secret – segredo; member – membro; owner –
 * proprietário; operator – operador; audit log – registro de auditoria; queue – fila; to hold it – reter; outcome unknown – resultado desconhecido; business account – conta comercial.
 * Webhook, API, gateway, token and micro stay untranslated.
 */
export const portuguese: Translated<typeof english> = {
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
